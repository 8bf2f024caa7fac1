import { type ProcessRole, type Setting, settingGroups } from '@posthorn/platform/config';

const ROLES: Readonly<Record<ProcessRole, string>> = {
  api: 'API',
  worker: 'worker',
  inbound: 'bounce listener',
  tracking: 'tracking listener',
  cli: '`posthorn` command',
};
const PROCESSES: readonly ProcessRole[] = ['api', 'worker', 'inbound', 'tracking'];
const MAX_LINE_CHARACTERS = 110;

const groups: ReadonlyArray<readonly [title: string, settings: ReadonlyArray<readonly [string, Setting]>]> =
  Object.entries(settingGroups).map(([title, group]) => [title, Object.entries(group)]);

/** docs/configuration.md with the tables of variables, and the list of those that may be in files. */
export function writeConfigurationPage(page: string): string {
  const secrets = groups.flatMap(([, group]) =>
    group.filter(([, { isSecret }]) => isSecret).map(([name]) => code(name)),
  );
  const listed = `${secrets.slice(0, -1).join(', ')} or ${secrets.at(-1)}`;
  return groups.reduce(
    (text, [title, group]) => text.replace(matchTable(title), (_, before: string) => before + toTable(group)),
    page.replace(/(add `_FILE` to the name of ).+?(, and set)/, (_, before, after) => before + listed + after),
  );
}

/** The first table below a heading. */
function matchTable(title: string): RegExp {
  return new RegExp(`(^## ${title}\\n(?:(?!##|\\|).*\\n)*)(?:\\|.*\\n)+`, 'm');
}

function toTable(group: ReadonlyArray<readonly [string, Setting]>): string {
  const rows = group.map(([name, setting]) =>
    toRow([code(name), toDefault(setting), toReaders(setting), setting.meaning]),
  );
  return [toRow(['Variable', 'Default', 'Read by', 'Meaning']), toRow(Array(4).fill('---')), ...rows].join('');
}

function toReaders({ readBy }: Setting): string {
  const isEvery = PROCESSES.every((role) => readBy.includes(role));
  const names = readBy.filter((role) => !isEvery || role === 'cli').map((role) => ROLES[role]);
  return [...(isEvery ? ['every process'] : []), ...names].join(', ');
}

const toRow = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;

const code = (text: string) => `\`${text}\``;

function toDefault({ fallback, shownFallback, required }: Setting): string {
  if (shownFallback !== undefined) return shownFallback;
  if (fallback !== undefined) return code(fallback);
  return required === true ? 'required' : 'none';
}

const ENV_HEAD = `# All settings. docker compose reads a copy of this file named .env, and secrets from the files that
# deploy/compose/create-secrets writes. Without Docker, run:
#   node --env-file=.env --max-semi-space-size=32 apps/api/dist/main.js
# Lines that are commented out show the default. docs/configuration.md has the same texts with links.
`;

/** .env.example: each setting with its explanation. One with a default is commented out. */
export function writeEnvExample(): string {
  const parts = groups.map(([title, group]) =>
    [`\n# --- ${title} ---\n`, ...group.map(([name, setting]) => toEnvLines(name, setting))].join('\n'),
  );
  return [ENV_HEAD, ...parts].join('');
}

function toEnvLines(name: string, setting: Setting): string {
  const { fallback, meaning, inCompose } = setting;
  const sentences = [
    `${withoutMarkdown(meaning)}.`,
    ...toRequirement(setting),
    ...(inCompose === undefined ? [] : [`With docker compose: ${inCompose}.`]),
  ];
  return `${wrap(sentences.join(' '))}\n${fallback === undefined ? `${name}=` : `#${name}=${fallback}`}\n`;
}

/** What applies to a setting without a value, unless the commented line shows it. */
function toRequirement(setting: Setting): string[] {
  const { fallback, shownFallback } = setting;
  const isRequired = (production: boolean) => findRequired(setting, production);
  if (fallback !== undefined) return [];
  if (isRequired(false)) return ['Required.'];
  const shown = shownFallback === undefined ? 'none' : withoutMarkdown(shownFallback);
  return isRequired(true)
    ? [`Required in production.${shown === 'none' ? '' : ` Default elsewhere: ${shown}.`}`]
    : [`Default: ${shown}.`];
}

function findRequired({ required }: Setting, production: boolean): boolean {
  if (typeof required !== 'function') return required === true;
  return required({ role: 'worker', production, isSet: () => false, values: {} });
}

/** Links in parentheses are left out. */
function withoutMarkdown(text: string): string {
  return text
    .replace(/ \(\[[^\]]+\]\([^)]+\)\)/g, '')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll('`', '');
}

function wrap(text: string): string {
  const lines = text.matchAll(new RegExp(`(.{1,${MAX_LINE_CHARACTERS}})(?: |$)`, 'g'));
  return Array.from(lines, ([, line]) => `# ${line}`).join('\n');
}
