import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectDatabase } from '@posthorn/platform/postgres';
import { startPostgres } from '@posthorn/servers';

const POLL_MS = 10;

/** A Postgres whose settings a test can change, because no other test uses it. */
export type OwnPostgres = {
  readonly url: string;
  /** Changes a setting while the server runs. An empty value resets it. */
  set(name: string, value: string): Promise<void>;
  /** Runs a query on a separate connection. @returns its rows */
  query<Row>(sql: string): Promise<Row[]>;
  /** The process ids of the backends whose commits are waiting for a synchronous standby. */
  stuckCommits(): Promise<number[]>;
  close(): Promise<void>;
};

/** @param password the password of the database user; random if omitted */
export async function openPostgres(password?: string): Promise<OwnPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'posthorn-postgres-'));
  if (password !== undefined) await writeFile(join(dataDir, 'password'), password, { mode: 0o600 });
  const postgres = await startPostgres({ dataDir, settings: { fsync: 'off' } });
  const admin = connectDatabase(postgres.url, { poolSize: 1, silenceMs: 0 });
  const query = async <Row>(sql: string) => (await admin.raw(sql)).rows as Row[];
  return {
    url: postgres.url,
    query,
    async set(name, value) {
      await query(`alter system set ${name} = '${value}'`);
      await query('select pg_reload_conf()');
      const isSet = async () => (await query<Record<string, string>>(`show ${name}`))[0]?.[name] === value;
      while (!(await isSet())) await sleep(POLL_MS);
    },
    async stuckCommits() {
      const sql = "select pid from pg_stat_activity where wait_event = 'SyncRep'";
      return (await query<{ pid: number }>(sql)).map(({ pid }) => pid);
    },
    async close() {
      await admin.destroy();
      await postgres.stopImmediately();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
