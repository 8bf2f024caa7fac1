import { spawnSync } from 'node:child_process';
import { run } from './child-process.js';
import { findProgram } from './command.js';
import { findRedis } from './find-redis.js';

const INSTALL_TIMEOUT_MS = 15 * 60_000;

type PackageManager = {
  readonly program: string;
  /** Shell text that installs Redis or Valkey without asking anything. */
  readonly script: string;
  /** Homebrew installs as the user and refuses root. */
  readonly asRoot: boolean;
  /** What a person would type. */
  readonly byHand: string;
};

/**
 * Debian's packages start a service of their own: a policy-rc.d that answers 101 ("not allowed")
 * prevents it (invoke-rc.d(8)), and it is disabled for the next boot. The others do not start it.
 * The package lists are fetched only when the package is not found with those at hand.
 */
const APT_SCRIPT = `
  policy=/usr/sbin/policy-rc.d
  if [ ! -e $policy ]; then
    trap 'rm -f $policy' EXIT
    printf '#!/bin/sh\\nexit 101\\n' > $policy
    chmod 755 $policy
  fi
  export DEBIAN_FRONTEND=noninteractive
  get() { timeout 300 apt-get -q -y -o DPkg::Lock::Timeout=120 "$@"; }
  install() { get install --no-install-recommends redis-server; }
  install || { get update && install; } || exit 1
  if [ -d /run/systemd/system ]; then systemctl disable redis-server; fi
  true
`;

const managers: readonly PackageManager[] = [
  { program: 'apt-get', script: APT_SCRIPT, asRoot: true, byHand: 'apt-get install redis-server' },
  {
    program: 'dnf',
    script: 'dnf install -y redis || dnf install -y valkey',
    asRoot: true,
    byHand: 'dnf install redis',
  },
  {
    program: 'apk',
    script: 'apk add --no-cache redis || apk add --no-cache valkey',
    asRoot: true,
    byHand: 'apk add redis',
  },
  { program: 'pacman', script: 'pacman -S --noconfirm --needed valkey', asRoot: true, byHand: 'pacman -S valkey' },
  { program: 'brew', script: 'brew install redis', asRoot: false, byHand: 'brew install redis' },
];

/**
 * The path of a Redis server. Where the machine has none it is installed by the system's package
 * manager, if that needs no password.
 * @throws Error that says what to install, when we may not or could not
 */
export async function ensureRedis(log: (line: string) => void): Promise<string> {
  const found = findRedis();
  if (found !== null) return found;
  const manager = managers.find(({ program }) => findProgram(program) !== null);
  const shell = manager && shellFor(manager);
  if (!shell) throw new Error(adviceFor(manager));
  log(`Redis is not on this machine: installing it with ${manager.program}. This happens once and may take a minute.`);
  const args = [...shell, '-c', manager.script];
  const command = { name: manager.program, program: 'env', args };
  const failure = await run(command, { timeoutMs: INSTALL_TIMEOUT_MS }).then(() => null, String);
  const installed = findRedis();
  if (installed === null) throw new Error([failure, adviceFor(manager)].filter(Boolean).join('\n'));
  log(`Redis is installed: ${installed}.`);
  return installed;
}

/** A shell with the rights the manager needs; null when that would ask for a password. */
function shellFor(manager: PackageManager): string[] | null {
  const isRoot = process.getuid?.() === 0;
  if (manager.asRoot === isRoot) return ['sh'];
  if (!manager.asRoot) return null;
  const sudo = spawnSync('sudo', ['-n', 'true'], { timeout: 10_000, stdio: 'ignore' });
  return sudo.status === 0 ? ['sudo', '-n', 'sh'] : null;
}

function adviceFor(manager: PackageManager | undefined): string {
  const how = manager ? `install it with: ${manager.byHand}` : 'install redis-server (6.2 or newer) or valkey-server';
  return `Posthorn needs Redis, and this machine has neither redis-server nor valkey-server: ${how}, or set REDIS_URL to a running one.`;
}
