export const settingsTabs = ['workspace', 'members', 'privacy', 'account'] as const;

export type SettingsTab = (typeof settingsTabs)[number];

export function isSettingsTab(value: unknown): value is SettingsTab {
  return settingsTabs.some((tab) => tab === value);
}

export function readSettingsSearch({ tab }: Record<string, unknown>): { tab?: SettingsTab | undefined } {
  return { tab: isSettingsTab(tab) ? tab : undefined };
}
