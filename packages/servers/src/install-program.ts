import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './child-process.js';

const INSTALL_TIMEOUT_MS = 15 * 60_000;

/** A program that Posthorn needs and can install with the system's package manager. */
export type InstallableProgram = {
  readonly name: string;
  find(): string | null;
  /** The packages that contain the program, in order of preference. Not every system has one. */
  readonly packages: Readonly<Partial<Record<ManagerName, readonly [string, ...string[]]>>>;
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
  const shell = manager && findShell(manager);
  const { name, packages } = program;
  const known = manager && packages[manager.name];
  if (!shell || !known) throw new Error(describeInstall(program, manager));
  log(`${name} is not installed. Installing it with ${manager.name}; this may take a minute.`);
  const script = known.map((text) => `( ${manager.script(text)} )`).join(' || ');
  const command = { name: manager.name, program: 'env', args: [...shell, '-c', script] };
  const failure = await run(command, { timeoutMs: INSTALL_TIMEOUT_MS }).then(() => null, String);
  const installed = program.find();
  if (installed === null) throw new Error([failure, describeInstall(program, manager)].filter(Boolean).join('\n'));
  log(`Installed ${name}: ${installed}`);
  return installed;
}

/** @returns a shell with the privileges that the package manager needs, or null if that requires a password */
function findShell(manager: Manager): string[] | null {
  const isRoot = process.getuid?.() === 0;
  if (manager.asRoot === isRoot) return ['sh'];
  if (!manager.asRoot) return null;
  const sudo = spawnSync('sudo', ['-n', 'true'], { timeout: 10_000, stdio: 'ignore' });
  return sudo.status === 0 ? ['sudo', '-n', 'sh'] : null;
}

function describeInstall(
  { problem, packages, manualInstall, alternative }: InstallableProgram,
  manager: Manager | undefined,
): string {
  const [known] = (manager && packages[manager.name]) ?? [];
  const install =
    manager && known ? `Install it with "${manager.installCommand} ${known}"` : `Install ${manualInstall}`;
  return `${problem}. ${install}${alternative ? `, or ${alternative}` : ''}.`;
}

type ManagerName = 'apt-get' | 'dnf' | 'apk' | 'pacman' | 'brew';

type PackageManager = {
  readonly name: ManagerName;
  /** A shell script that installs a package without prompts. */
  readonly script: (name: string) => string;
  /** Whether the script must run as root. Homebrew refuses to run as root. */
  readonly asRoot: boolean;
  /** The install command to show in messages, without the package name. */
  readonly installCommand: string;
};

const packageManagers: readonly PackageManager[] = [
  { name: 'apt-get', script: buildAptScript, asRoot: true, installCommand: 'apt-get install' },
  { name: 'dnf', script: (name) => `dnf install -y ${name}`, asRoot: true, installCommand: 'dnf install' },
  {
    name: 'apk',
    script: (name) => `apk add --no-cache --wait 600 ${name}`,
    asRoot: true,
    installCommand: 'apk add',
  },
  {
    name: 'pacman',
    script: (name) => `pacman -S --noconfirm --needed ${name}`,
    asRoot: true,
    installCommand: 'pacman -S',
  },
  { name: 'brew', script: (name) => `brew install ${name}`, asRoot: false, installCommand: 'brew install' },
];

/**
 * A server that is installed from a Debian package starts as a system service. A policy-rc.d that exits with 101 ("not
 * allowed") prevents this (invoke-rc.d(8)), and the service is disabled so that it does not start at the next boot.
 * Packages on other systems do not start a service. The lock makes concurrent installs wait, so that one does not
 * delete the policy-rc.d of another. The package lists are updated only if the first attempt to install fails.
 */
function buildAptScript(name: string): string {
  return `
  exec 9>/run/posthorn-install.lock
  flock 9
  policy=/usr/sbin/policy-rc.d
  if [ ! -e $policy ]; then
    trap 'rm -f $policy' EXIT
    printf '#!/bin/sh\\nexit 101\\n' > $policy
    chmod 755 $policy
  fi
  export DEBIAN_FRONTEND=noninteractive
  get() { timeout 300 apt-get -q -y -o DPkg::Lock::Timeout=120 "$@"; }
  install() { get install --no-install-recommends ${name}; }
  install || { get update && install; } || exit 1
  if [ -d /run/systemd/system ] && systemctl cat ${name}.service; then systemctl disable ${name}; fi
  true
`;
}

/** Folders where package managers install programs. They are searched in case PATH does not contain them. */
const EXTRA_FOLDERS = ['/usr/local/bin', '/usr/local/sbin', '/usr/bin', '/usr/sbin', '/opt/homebrew/bin'];

export function findProgram(name: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...EXTRA_FOLDERS];
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
