import { spawnSync } from 'node:child_process';
import { run } from './child-process.js';
import { findProgram } from './command.js';
import { type ManagerName, packageManagers } from './package-managers.js';

const INSTALL_TIMEOUT_MS = 15 * 60_000;

/** What Posthorn takes from the machine, and has installed where it is missing. */
export type MachineProgram = {
  readonly name: string;
  /** The path of one that can be used, or null. */
  find(): string | null;
  /** The packages that bring it, the preferred one first. */
  readonly packages: Readonly<Record<ManagerName, readonly [string, ...string[]]>>;
  /** What we cannot do without it, as half a sentence. */
  readonly need: string;
  /** What to install where we know no package manager. */
  readonly byHand: string;
  /** What else would do, as half a sentence. */
  readonly instead?: string;
};

type Manager = (typeof packageManagers)[number];

/**
 * The path of a program. Where the machine has none it is installed by the system's package manager,
 * if that needs no password.
 * @throws Error that says what to install, when we may not or could not
 */
export async function ensureProgram(wanted: MachineProgram, log: (line: string) => void): Promise<string> {
  const found = wanted.find();
  if (found !== null) return found;
  const manager = packageManagers.find(({ program }) => findProgram(program) !== null);
  const shell = manager && shellFor(manager);
  if (!shell) throw new Error(adviceFor(wanted, manager));
  const { name, packages } = wanted;
  log(
    `${name} is not on this machine: installing it with ${manager.program}. This happens once and may take a minute.`,
  );
  const script = packages[manager.program].map((text) => `( ${manager.script(text)} )`).join(' || ');
  const command = { name: manager.program, program: 'env', args: [...shell, '-c', script] };
  const failure = await run(command, { timeoutMs: INSTALL_TIMEOUT_MS }).then(() => null, String);
  const installed = wanted.find();
  if (installed === null) throw new Error([failure, adviceFor(wanted, manager)].filter(Boolean).join('\n'));
  log(`${name} is installed: ${installed}.`);
  return installed;
}

/** A shell with the rights the manager needs; null when that would ask for a password. */
function shellFor(manager: Manager): string[] | null {
  const isRoot = process.getuid?.() === 0;
  if (manager.asRoot === isRoot) return ['sh'];
  if (!manager.asRoot) return null;
  const sudo = spawnSync('sudo', ['-n', 'true'], { timeout: 10_000, stdio: 'ignore' });
  return sudo.status === 0 ? ['sudo', '-n', 'sh'] : null;
}

function adviceFor({ need, packages, byHand, instead }: MachineProgram, manager: Manager | undefined): string {
  const how = manager ? `it with: ${manager.byHand} ${packages[manager.program][0]}` : byHand;
  return `${need}: install ${how}${instead ? `, or ${instead}` : ''}.`;
}
