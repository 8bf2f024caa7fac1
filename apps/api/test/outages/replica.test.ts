import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateDatabase } from '@posthorn/domain/schema';
import { connectDatabase, type Db } from '@posthorn/platform/postgres';
import { readList } from '@posthorn/platform/replica';
import { type Postgres, startPostgres } from '@posthorn/servers';
import { until } from '@posthorn/testing';
import { type FaultyProxy, startFaultyProxy } from '../../../../tests/rig/faulty-proxy.js';
import { copyForStandby, type Standby, startStandby } from '../../../../tests/rig/standby.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

const SETTINGS = { fsync: 'off' };

let folder: string;
let primary: Postgres;
let standby: Standby;
/** What the API reads from: the standby, or a copy of it. */
let replica: Standby;
let standbyDb: Db;
let proxy: FaultyProxy;
let t: TestApi;
const logged: string[] = [];

const log = {
  debug() {},
  info: (_: object, event: string) => void logged.push(event),
  warn: (_: object, event: string) => void logged.push(event),
  error() {},
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-replica-'));
  const dataDir = join(folder, 'primary');
  const first = await startPostgres({ dataDir, settings: SETTINGS });
  await migrateDatabase(first.url);
  await first.stop();
  await copyForStandby(dataDir, join(folder, 'standby'));
  primary = await startPostgres({ dataDir, settings: SETTINGS });
  standby = await startStandby(join(folder, 'standby'), primary.url, { isSynchronous: false });
  replica = standby;
  standbyDb = connectDatabase(standby.url, { poolSize: 1 });
  proxy = await startFaultyProxy(() => Number(new URL(replica.url).port));
  const databaseReplicaUrl = Object.assign(new URL(standby.url), { port: proxy.port }).href;
  t = await openTestApi({ config: { databaseUrl: primary.url, databaseReplicaUrl, rateLimitPerMinute: 10_000 }, log });
  await t.ctx.incarnation.read();
}, 120_000);

afterAll(async () => {
  await t.close();
  await proxy.close();
  await standbyDb.destroy();
  await standby.stop();
  await primary.stopImmediately();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

const reads = () => ({ ...t.ctx.replica?.reads });
const list = (query = '') => t.api.get(`/api/v1/emails${query}`).set(t.auth).expect(200);

async function send(subject: string): Promise<string> {
  const sent = await t.api
    .post('/api/v1/emails')
    .set(t.auth)
    .send({ to: ['a@example.com'], subject, text: 'Hi' });
  expect(sent.status).toBe(202);
  return sent.body.id;
}

/** How often the server has read an index of the emails. Each server counts its own reads. */
async function readsOfEmails(): Promise<number> {
  const { rows } = await standbyDb.raw(
    `select coalesce(sum(idx_scan), 0)::int as scans from pg_stat_user_indexes where relname like 'emails%'`,
  );
  return rows[0].scans;
}

/**
 * Repeats a request until the replica answers it. The replica may be a moment behind, and it is left alone for a few
 * seconds after a failure.
 */
async function untilFromReplica(path: string, headers: Record<string, string> = t.auth): Promise<void> {
  const { replica: before = 0 } = reads();
  await until(async () => {
    await t.api.get(path).set(headers).expect(200);
    return (reads().replica ?? 0) > before;
  });
}

async function pauseReplay(): Promise<void> {
  await standbyDb.raw('select pg_wal_replay_pause()');
  await until(async () => {
    const { rows } = await standbyDb.raw('select pg_get_wal_replay_pause_state() as state');
    return rows[0].state === 'paused';
  });
}

test('lists, searches, statistics and exports are read from the replica', async () => {
  await send('First');
  const cookie = await t.login();
  const scans = await readsOfEmails();
  const lists = ['/emails', '/emails?q=first', '/emails/stats', '/deliverability', '/bounces'];
  const exports = ['/emails?format=csv', '/emails?q=first&format=csv', '/suppressions?format=csv'];
  for (const path of [...lists, ...exports]) await untilFromReplica(`/api/v1${path}`);
  await untilFromReplica('/api/v1/export', cookie);
  const { text } = await t.api.get('/api/v1/export').set(cookie).expect(200);
  expect(text).toContain('"subject":"First"');
  await until(async () => (await readsOfEmails()) > scans);
  const metrics = await t.api.get('/metrics');
  expect(metrics.text).toMatch(/posthorn_replica_reads_total{outcome="replica"} [1-9]/);
});

test('single emails, events and usage are read from the primary', async () => {
  const id = await send('Single');
  const cookie = await t.login();
  const before = reads();
  await t.api.get(`/api/v1/emails/${id}`).set(t.auth).expect(200);
  await t.api.get('/api/v1/events').set(t.auth).expect(200);
  await t.api.get('/billing/usage').set(cookie).expect(200);
  expect(reads()).toEqual(before);
});

test('a list contains an email at once, even while the replica is behind', async () => {
  await pauseReplay();
  const before = reads();
  const id = await send('Behind');
  const { body } = await list('?limit=1');
  expect(body.data[0].id).toBe(id);
  expect(reads()).toEqual({ ...before, behind: (before.behind ?? 0) + 1 });
  await standbyDb.raw('select pg_wal_replay_resume()');
  await untilFromReplica('/api/v1/emails');
});

test('exports do not wait again and again for a replica that stays behind', async () => {
  await untilFromReplica('/api/v1/emails?format=csv');
  await pauseReplay();
  await send('Export');
  const { behind: before = 0 } = reads();
  const mayWaitFrom = () => t.ctx.replica?.mayWaitFrom.export ?? 0;
  await t.api.get('/api/v1/emails?format=csv').set(t.auth).expect(200);
  const noWaitUntil = mayWaitFrom();
  expect(noWaitUntil).toBeGreaterThan(performance.now());
  await t.api.get('/api/v1/emails?format=csv').set(t.auth).expect(200);
  // Only a wait moves it.
  expect([mayWaitFrom(), reads().behind]).toEqual([noWaitUntil, before + 2]);
  await standbyDb.raw('select pg_wal_replay_resume()');
  await untilFromReplica('/api/v1/emails?format=csv');
});

test('without permission to check the replica, lists are read from the primary', async () => {
  await untilFromReplica('/api/v1/emails');
  await t.ctx.db.raw("create role careful login password 'careful'");
  await t.ctx.db.raw('revoke execute on function pg_control_system() from public');
  const url = Object.assign(new URL(primary.url), { username: 'careful', password: 'careful' }).href;
  const db = connectDatabase(url, { poolSize: 1 });
  try {
    logged.length = 0;
    const { unusable: before = 0 } = reads();
    for (let times = 0; times < 2; times += 1)
      expect(await readList({ ...t.ctx, db }, async () => 'primary')).toBe('primary');
    expect(reads().unusable).toBe(before + 2);
    expect(logged).toEqual(['replica_unusable']);
  } finally {
    await db.destroy();
    await t.ctx.db.raw('grant execute on function pg_control_system() to public');
  }
  await untilFromReplica('/api/v1/emails');
}, 60_000);

test('a standby that was not rebuilt after a restore is not used', async () => {
  await untilFromReplica('/api/v1/emails');
  const { id } = await t.ctx.db('incarnation').first('id');
  try {
    await t.ctx.db('incarnation').update({ id: 'of a backup' });
    await until(async () => (await standbyDb('incarnation').first('id')).id === 'of a backup');
    logged.length = 0;
    const { unusable: before = 0 } = reads();
    await until(async () => {
      await list();
      return reads().unusable === before + 1;
    });
    expect(logged).toEqual(['replica_unusable']);
  } finally {
    await t.ctx.db('incarnation').update({ id });
  }
  await untilFromReplica('/api/v1/emails');
}, 60_000);

test('while the replica does not answer, lists are read from the primary, and the log says so once', async () => {
  await list();
  logged.length = 0;
  const { unusable: before = 0 } = reads();
  proxy.pause();
  for (let times = 0; times < 3; times += 1) await list();
  expect(reads().unusable).toBe(before + 3);
  expect(logged).toEqual(['replica_unusable']);
  proxy.restore();
  await untilFromReplica('/api/v1/emails');
  expect(logged).toEqual(['replica_unusable', 'replica_back']);
}, 60_000);

test('while the replica is down, lists are read from the primary', async () => {
  await list();
  proxy.cut();
  const { unusable: before = 0 } = reads();
  await list('?q=first');
  await list('?format=csv');
  expect(reads().unusable).toBe(before + 2);
  proxy.restore();
  await untilFromReplica('/api/v1/emails');
}, 60_000);

test('a standby does not know where the event log ends', async () => {
  const trx = await t.ctx.db.transaction();
  const { rows } = await trx.raw('select event_position() as running');
  await send('Later');
  await untilFromReplica('/api/v1/emails');
  const readHorizon = async (db: Db) => (await db.raw('select event_horizon() as horizon')).rows[0].horizon;
  expect(await readHorizon(t.ctx.db)).toBe(rows[0].running);
  expect(await readHorizon(standbyDb)).toBeGreaterThan(rows[0].running);
  await trx.rollback();
});

test('a replica that was promoted or does not belong to the primary is not used', async () => {
  // The other tests need the standby, which could never follow the primary again. So a copy of it is promoted.
  await standby.stop();
  await copyForStandby(join(folder, 'standby'), join(folder, 'copy'));
  replica = await startStandby(join(folder, 'copy'), primary.url, { isSynchronous: false });
  await untilFromReplica('/api/v1/emails');
  await replica.promote();
  const { unusable: before = 0 } = reads();
  const id = await send('Promoted');
  const { body } = await list('?limit=1');
  expect(body.data[0].id).toBe(id);
  expect(reads().unusable).toBe(before + 1);
  await replica.stop();
  replica = standby;
  await standby.start();
  await untilFromReplica('/api/v1/emails');
}, 60_000);
