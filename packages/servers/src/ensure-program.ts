import { spawnSync } from 'node:child_process';
import { run } from './child-process.js';
import { findProgram } from './find-program.js';
import { type ManagerName, packageManagers } from './package-managers.js';

const INSTALL_TIMEOUT_MS = 15 * 60_000;

/** A program that Posthorn needs and can install with the system's package manager. */
export type InstallableProgram = {
  readonly name: string;
  /** @returns the path of a usable program, or null */
  find(): string | null;
  /** The packages that contain the program, in order of preference. */
  readonly packages: Readonly<Record<ManagerName, readonly [string, ...string[]]>>;
  /** What is missing and why it is needed, as a sentence without the final period. */
  readonly problem: string;
  /** What to install on a system whose package manager is unknown. */
  readonly manualInstall: string;
  /** What to do instead of installing the program, as the end of a sentence. */
  readonly alternative?: string;
};

type Manager = (typeof packageManagers)[number];

/**
 * Finds a program, or installs it with the system's package manager if that needs no password.
 * @returns its path
 * @throws Error with install instructions if it cannot be installed automatically
 */
export async function ensureProgram(program: InstallableProgram, log: (line: string) => void): Promise<string> {
  const found = program.find();
  if (found !== null) return found;
  const manager = packageManagers.find(({ name }) => findProgram(name) !== null);
  const shell = manager && shellFor(manager);
  if (!shell) throw new Error(installInstructions(program, manager));
  const { name, packages } = program;
  log(`${name} is not installed. Installing it with ${manager.name}; this may take a minute.`);
  const script = packages[manager.name].map((text) => `( ${manager.script(text)} )`).join(' || ');
  const command = { name: manager.name, program: 'env', args: [...shell, '-c', script] };
  const failure = await run(command, { timeoutMs: INSTALL_TIMEOUT_MS }).then(() => null, String);
  const installed = program.find();
  if (installed === null) throw new Error([failure, installInstructions(program, manager)].filter(Boolean).join('\n'));
  log(`Installed ${name}: ${installed}`);
  return installed;
}

/** @returns a shell with the privileges that the package manager needs, or null if that requires a password */
function shellFor(manager: Manager): string[] | null {
  const isRoot = process.getuid?.() === 0;
  if (manager.asRoot === isRoot) return ['sh'];
  if (!manager.asRoot) return null;
  const sudo = spawnSync('sudo', ['-n', 'true'], { timeout: 10_000, stdio: 'ignore' });
  return sudo.status === 0 ? ['sudo', '-n', 'sh'] : null;
}

function installInstructions(
  { problem, packages, manualInstall, alternative }: InstallableProgram,
  manager: Manager | undefined,
): string {
  const install = manager
    ? `Install it with "${manager.installCommand} ${packages[manager.name][0]}"`
    : `Install ${manualInstall}`;
  return `${problem}. ${install}${alternative ? `, or ${alternative}` : ''}.`;
}
