import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { findFreePort } from '@posthorn/servers';
import { RELEASE_FOLDER, startIsolatedPackage } from '../rig/isolated-package.js';
import type { Pooler } from '../rig/open-rig.js';

export type PgBouncerOptions = {
  readonly mode: 'session' | 'transaction';
  /** Debian 12 has PgBouncer 1.18, without prepared statements in transaction mode, and Debian 13 has 1.24, with them. */
  readonly release: 'bookworm' | 'trixie';
};

/** More than the processes of a drill open. */
const POOL_SIZE = 80;
const MAX_CLIENTS = 500;
/** An unprivileged user. PgBouncer does not run as root. */
const USER = '65534:65534';

/** @returns why PgBouncer cannot be installed on this machine; null if it can */
export function whyNoPgBouncer(): string | null {
  const { ID } = parseEnv(readFileSync('/etc/os-release', 'utf8'));
  return ID === 'debian' ? null : 'It uses packages of several Debian releases, so it must run on Debian.';
}

/**
 * Starts PgBouncer in front of Postgres. If it ends, it is started again at once.
 * @param postgresUrl its password must not need quotes
 */
export async function startPgBouncer(postgresUrl: string, { mode, release }: PgBouncerOptions): Promise<Pooler> {
  const postgres = new URL(postgresUrl);
  const port = await findFreePort();
  const config = `
[databases]
* = host=${postgres.hostname} port=${postgres.port}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = /etc/drill/users
pool_mode = ${mode}
default_pool_size = ${POOL_SIZE}
max_client_conn = ${MAX_CLIENTS}
server_login_retry = 1
`;
  const { close, kill } = await startIsolatedPackage({
    packageName: 'pgbouncer',
    port,
    release,
    files: {
      '/etc/drill/pgbouncer.ini': config,
      '/etc/drill/users': `"${postgres.username}" "${postgres.password}"\n`,
    },
    script: `
while :; do
  chroot --userspec=${USER} ${RELEASE_FOLDER} /usr/sbin/pgbouncer /etc/drill/pgbouncer.ini || :
done`,
  });
  return {
    url: Object.assign(new URL(postgresUrl), { host: `127.0.0.1:${port}` }).href,
    kill: () => kill('pgbouncer'),
    close,
  };
}
