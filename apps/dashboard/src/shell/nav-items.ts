import {
  type Icon,
  IconChartBar,
  IconGauge,
  IconHeartbeat,
  IconHistory,
  IconKey,
  IconMail,
  IconMailOff,
  IconSettings,
  IconTemplate,
  IconWebhook,
  IconWorld,
} from '../ui/icons';

export type NavItem = {
  readonly to: string;
  readonly label: string;
  /** What to call the page outside the menu. Defaults to `label`. */
  readonly fullLabel?: string;
  readonly icon: Icon;
  /** Whether the menu of members who are not owners leaves it out. */
  readonly ownersOnly?: true;
};

export const itemsBeforeApi: readonly NavItem[] = [
  { to: '/', label: 'Overview', icon: IconGauge },
  { to: '/emails', label: 'Emails', icon: IconMail },
  { to: '/templates', label: 'Templates', icon: IconTemplate },
  { to: '/suppressions', label: 'Suppressions', icon: IconMailOff },
  { to: '/domains', label: 'Domains', icon: IconWorld },
  { to: '/deliverability', label: 'Deliverability', icon: IconHeartbeat },
];

export const apiItems: readonly NavItem[] = [
  { to: '/api-keys', label: 'Keys', fullLabel: 'API keys', icon: IconKey },
  { to: '/webhooks', label: 'Webhooks', icon: IconWebhook },
];

export const itemsAfterApi: readonly NavItem[] = [
  { to: '/usage', label: 'Usage & plan', icon: IconChartBar },
  { to: '/audit-log', label: 'Audit log', icon: IconHistory, ownersOnly: true },
  { to: '/settings', label: 'Settings', icon: IconSettings },
];
