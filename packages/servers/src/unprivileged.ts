import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { Command } from './child-process.js';
import { findProgram } from './install-program.js';

const USERS = ['postgres', 'nobody'];

/**
 * The first capability lets a process read and enter any folder. The second one also lets it write to any folder
 * (capabilities(7)).
 */
const FOLDER_ACCESS_CAPABILITIES = [
  { name: 'dac_read_search', bit: 2n },
  { name: 'dac_override', bit: 1n },
];

export type Identity = { readonly uid: number; readonly gid: number };

/**
 * The user to run Postgres as. Postgres refuses to run as root, but in containers and on build machines we often are
 * root. There, Postgres runs as the system user `postgres`, or else as `nobody`. It keeps one capability, to read and
 * enter folders of any mode, because that user could not otherwise access a checkout under /root (0700). The capability
 * is "ambient" so that it survives exec, and `no_setuid_fixup` keeps the kernel from dropping it when the user changes.
 * See docs/decisions/0002-postgres-as-root.md
 * @returns null if we are not root
 */
export function findUnprivilegedIdentity(): Identity | null {
  if (process.getuid?.() !== 0) return null;
  for (const user of USERS) {
    const [uid, gid] = ['-u', '-g'].map((flag) => findId(flag, user));
    if (uid !== undefined && gid !== undefined && uid > 0) return { uid, gid };
  }
  throw new Error(
    'Postgres cannot run as root, and this system has no user named postgres or nobody. Start Posthorn as another user.',
  );
}

/** Runs the command as this user, with the capability to read and enter folders. */
export function toUnprivileged(command: Command, identity: Identity | null): Command {
  if (identity === null) return command;
  const options = [`--reuid=${identity.uid}`, `--regid=${identity.gid}`, '--clear-groups', ...listCapabilityOptions()];
  return wrapInSetpriv(command, options) ?? { ...command, identity };
}

/** Keeps the weakest capability that is available and sufficient. Docker does not grant the first one by default. */
function listCapabilityOptions(): string[] {
  const capability = FOLDER_ACCESS_CAPABILITIES.find(({ bit }) => (readPermittedCapabilities() >> bit) & 1n);
  return capability
    ? [`--inh-caps=+${capability.name}`, `--ambient-caps=+${capability.name}`, '--securebits=+no_setuid_fixup']
    : [];
}

function readPermittedCapabilities(): bigint {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  return BigInt(`0x${/^CapPrm:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? 0}`);
}

function findId(flag: string, user: string): number | undefined {
  const { status, stdout } = spawnSync('id', [flag, user], { encoding: 'utf8', timeout: 5_000 });
  return status === 0 ? Number(stdout.trim()) : undefined;
}

/**
 * Runs a command through setpriv from util-linux, which changes the privileges of the process and then replaces itself
 * with the command. The process ID stays the same.
 * @returns null if there is no setpriv that supports these options (macOS, BusyBox)
 */
function wrapInSetpriv(command: Command, options: readonly string[]): Command | null {
  const setpriv = findProgram('setpriv');
  if (setpriv === null || !supportsOptions(setpriv)) return null;
  return { ...command, program: setpriv, args: [...options, command.program, ...command.args] };
}

const supported = new Map<string, boolean>();

function supportsOptions(setpriv: string): boolean {
  const known = supported.get(setpriv);
  if (known !== undefined) return known;
  const { stdout } = spawnSync(setpriv, ['--help'], { encoding: 'utf8', timeout: 5_000 });
  const supports = typeof stdout === 'string' && stdout.includes('--ambient-caps') && stdout.includes('--pdeathsig');
  supported.set(setpriv, supports);
  return supports;
}

/**
 * Makes the kernel send `signal` to the command when this process ends, even if it is killed with SIGKILL. On systems
 * other than Linux, the server keeps running until the next start stops it (stale-process.ts).
 */
export function dieWithParent(command: Command, signal: 'INT' | 'TERM'): Command {
  return wrapInSetpriv(command, [`--pdeathsig=${signal}`]) ?? command;
}
