import { execFile } from 'node:child_process';
import { chownSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { connectDatabase } from '@posthorn/platform/postgres';
import { startPostgres } from '@posthorn/servers';
import { TimeLimitError } from '@posthorn/testing';

const NAME = 'standby';
const FOLLOWING_MS = 60_000;
const POLL_MS = 20;

/**
 * A second Postgres that follows the first one. If it is synchronous, it has everything that the first one has
 * committed, because every commit on the first waits for it.
 */
export type Standby = {
  readonly url: string;
  /** Stops it abruptly, like a crash. From then on, commits on the primary wait. */
  stop(): Promise<void>;
  /** Starts it again on the same port. Resolves when commits no longer wait. */
  start(): Promise<void>;
  /** Promotes it to a primary. Resolves when it accepts writes. */
  promote(): Promise<void>;
};

/** Copies the data of a stopped Postgres, so that a server with this copy can follow the original. */
export async function copyForStandby(primaryDir: string, standbyDir: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', primaryDir, standbyDir]);
  markAsStandby(standbyDir);
}

/** Makes a stopped Postgres start as a standby. */
export function markAsStandby(dataDir: string): void {
  const cluster = join(dataDir, 'cluster');
  const { uid, gid } = statSync(cluster);
  const signal = join(cluster, 'standby.signal');
  writeFileSync(signal, '');
  chownSync(signal, uid, gid);
}

/** What a standby needs to follow this primary. */
export function standbySettings(primaryUrl: string): Readonly<Record<string, string>> {
  const { hostname, port, username, password } = new URL(primaryUrl);
  return {
    primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password} application_name=${NAME}`,
  };
}

/**
 * Starts the standby and, unless it is asynchronous, makes every commit on the primary wait for it.
 * @param dataDir the copy that `copyForStandby` made
 */
export async function startStandby(
  dataDir: string,
  primaryUrl: string,
  { isSynchronous = true } = {},
): Promise<Standby> {
  const settings = standbySettings(primaryUrl);
  let server = await startPostgres({ dataDir, settings });
  const isFollowing = async () => {
    const rows = await query(primaryUrl, "select from pg_stat_replication where state = 'streaming'");
    return rows.length === 1;
  };
  const untilFollowing = async () => {
    for (const deadline = Date.now() + FOLLOWING_MS; !(await isFollowing()); await sleep(POLL_MS))
      if (Date.now() > deadline)
        throw new TimeLimitError(`The standby was not streaming from the primary after ${FOLLOWING_MS / 1_000} s`);
  };
  await untilFollowing();
  if (isSynchronous) {
    await query(primaryUrl, `alter system set synchronous_standby_names = '${NAME}'`);
    await query(primaryUrl, 'select pg_reload_conf()');
  }
  return {
    url: server.url,
    stop: () => server.stopImmediately(),
    async start() {
      server = await startPostgres({ dataDir, settings, port: server.port });
      await untilFollowing();
    },
    async promote() {
      await query(server.url, 'select pg_promote()');
    },
  };
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const db = connectDatabase(url, { poolSize: 1, silenceMs: 0 });
  try {
    return (await db.raw(sql)).rows;
  } finally {
    await db.destroy();
  }
}

const exec = promisify(execFile);

type BaseBackup = {
  /** Puts the backup in the place of the data of the stopped server. */
  restore(): Promise<void>;
};

/**
 * Copies the files of a running server between pg_backup_start and pg_backup_stop, as pg_basebackup does. The npm package
 * with Postgres has neither pg_basebackup nor pg_dump. A base backup is also the harder case: the restored database looks
 * exactly like the one before, so only the operator knows that there was a restore.
 */
export async function takeBaseBackup(url: string, dataDir: string, folder: string): Promise<BaseBackup> {
  const cluster = join(dataDir, 'cluster');
  // Both functions must be called in the same session.
  const db = connectDatabase(url, { poolSize: 1, silenceMs: 0 });
  rmSync(folder, { recursive: true, force: true });
  try {
    await db.raw("select pg_backup_start('drill', true)");
    // Files may disappear while they are copied. The write-ahead log restores what that would break.
    await exec('cp', ['-a', cluster, folder]).catch(() => {});
    const { rows } = await db.raw('select labelfile from pg_backup_stop(false)');
    rmSync(join(folder, 'pg_wal'), { recursive: true });
    await exec('cp', ['-a', join(cluster, 'pg_wal'), folder]);
    const label = join(folder, 'backup_label');
    writeFileSync(label, rows[0].labelfile);
    const { uid, gid } = statSync(cluster);
    chownSync(label, uid, gid);
    rmSync(join(folder, 'postmaster.pid'), { force: true });
  } finally {
    await db.destroy();
  }
  return {
    async restore() {
      rmSync(cluster, { recursive: true });
      await exec('cp', ['-a', folder, cluster]);
    },
  };
}
