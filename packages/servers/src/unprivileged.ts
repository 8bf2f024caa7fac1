import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { Command } from './command.js';
import { viaSetpriv } from './setpriv.js';

const USERS = ['postgres', 'nobody'];

/** capabilities(7): to read and pass any folder; the same and to write anything. */
const PASSING_CAPABILITIES = [
  { name: 'dac_read_search', bit: 2n },
  { name: 'dac_override', bit: 1n },
];

export type Identity = { readonly uid: number; readonly gid: number };

/**
 * Postgres refuses to run as root, but containers and build machines are often root. There it runs
 * as the system's `postgres`, else as `nobody`. One capability stays with it, to read and pass
 * folders whatever their mode: a checkout under /root (0700) would otherwise hide both the programs
 * and the data from that user. It is "ambient" so that it outlives exec, and `no_setuid_fixup` keeps
 * the kernel from dropping it at the change of user. docs/decisions/0002-postgres-as-root.md
 * @returns null when we are not root: then nothing needs to change
 */
export function unprivilegedIdentity(): Identity | null {
  if (process.getuid?.() !== 0) return null;
  for (const user of USERS) {
    const [uid, gid] = ['-u', '-g'].map((flag) => idOf(flag, user));
    if (uid !== undefined && gid !== undefined && uid > 0) return { uid, gid };
  }
  throw new Error(
    'Postgres cannot run as root, and this system has neither a user postgres nor nobody; start as another user.',
  );
}

/** The command as it has to be run so that Postgres accepts its user. */
export function asUnprivileged(command: Command, identity: Identity | null): Command {
  if (identity === null) return command;
  const options = [`--reuid=${identity.uid}`, `--regid=${identity.gid}`, '--clear-groups', ...keepCapability()];
  return viaSetpriv(command, options) ?? { ...command, identity };
}

/** The weakest capability we have that passes folders; Docker's default set lacks the first. */
function keepCapability(): string[] {
  const kept = PASSING_CAPABILITIES.find(({ bit }) => (permittedCapabilities() >> bit) & 1n);
  return kept ? [`--inh-caps=+${kept.name}`, `--ambient-caps=+${kept.name}`, '--securebits=+no_setuid_fixup'] : [];
}

function permittedCapabilities(): bigint {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  return BigInt(`0x${/^CapPrm:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? 0}`);
}

function idOf(flag: string, user: string): number | undefined {
  const { status, stdout } = spawnSync('id', [flag, user], { encoding: 'utf8', timeout: 5_000 });
  return status === 0 ? Number(stdout.trim()) : undefined;
}
