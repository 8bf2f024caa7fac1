import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { preparePlatformKey } from '@posthorn/domain/domains';
import { maintainPartitions } from '@posthorn/domain/retention';
import type { Context } from '@posthorn/platform';
import {
  closeTestContext,
  createTestWorkspace,
  openTestContext,
  type SmtpSink,
  startSentinels,
  startSmtpSink,
} from '@posthorn/testing';
import { acceptEmail } from './accept-email.js';
import { type CommandResult, posthornFor, posthornWith } from './posthorn.js';

type Row = { name: string; status: string; detail: string; fix: string | null };

let ctx: Context;
let sink: SmtpSink;
let site: Server;
let env: Record<string, string>;

beforeAll(async () => {
  ctx = await openTestContext({ ownDatabase: 'the command checks the whole installation' });
  await preparePlatformKey(ctx);
  await maintainPartitions(ctx, new Date());
  sink = await startSmtpSink({});
  site = createServer((request, response) => response.writeHead(request.url === '/healthz' ? 200 : 404).end());
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  env = {
    DATABASE_URL: ctx.config.databaseUrl,
    REDIS_URL: ctx.config.redisUrl,
    SECRET_KEY: ctx.config.secretKey ?? '',
    DNS_SERVERS: ctx.config.dnsServers.join(','),
    SMTP_URL: `${sink.url},smtp://127.0.0.1:1`,
    PUBLIC_URL: `http://127.0.0.1:${(site.address() as AddressInfo).port}`,
  };
});

afterAll(async () => {
  site.close();
  await sink.close();
  await closeTestContext(ctx);
});

const doctor = (changes: Record<string, string> = {}) => posthornWith({ ...env, ...changes })('doctor', '--json');

function toRows({ stdout }: CommandResult): Record<string, Row> {
  return Object.fromEntries((JSON.parse(stdout) as Row[]).map((row) => [row.name, row]));
}

test('doctor says what works, and how to fix what does not', async () => {
  const result = await doctor();
  const rows = toRows(result);
  const ok = ['postgres', 'postgres schema', 'postgres partitions', 'queue parked', 'queue pauses', 'queue versions'];
  for (const check of [
    ...ok,
    'SECRET_KEY',
    'redis',
    'redis eviction',
    'clock of postgres',
    'clock of redis',
    'PUBLIC_URL',
  ])
    expect(rows[check]).toMatchObject({ status: 'ok', fix: null });
  expect(rows[`relay 127.0.0.1:${sink.port}`]).toMatchObject({ status: 'ok' });
  expect(rows['relay 127.0.0.1:1']).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('ECONNREFUSED'),
    fix: expect.stringContaining('SMTP_URL'),
  });
  expect(rows['platform domain']).toMatchObject({ status: 'skipped', detail: expect.stringContaining('localhost') });
  expect(rows.TRACKING_URL).toEqual({
    name: 'TRACKING_URL',
    status: 'skipped',
    detail: 'TRACKING_URL is not set',
    fix: null,
  });
  expect(result.code).toBe(1);
  expect(JSON.parse(result.stderr).error.code).toBe('checks_failed');
  expect(sink.messages).toHaveLength(0);
});

test('doctor prints one line per check', async () => {
  const { stdout } = await posthornFor(ctx)('doctor');
  const lines = stdout.trim().split('\n');
  expect(lines[0]).toMatch(/^name +status +detail +fix$/);
  expect(lines.find((line) => line.startsWith('relays '))).toMatch(/skipped +SMTP_URL is not set/);
});

test('doctor finds keys that SECRET_KEY does not open', async () => {
  const { SECRET_KEY: row } = toRows(await doctor({ SECRET_KEY: 'another secret key, which opens nothing' }));
  expect(row).toMatchObject({ status: 'failed', fix: expect.stringContaining('SECRET_KEY_PREVIOUS') });
});

test('doctor finds a migration that is missing', async () => {
  const [last] = await ctx.db('migrations').orderBy('name', 'desc').limit(1);
  await ctx.db('migrations').where({ name: last.name }).delete();
  const { 'postgres schema': row } = toRows(await doctor());
  await ctx.db('migrations').insert(last);
  expect(row).toMatchObject({ status: 'failed', detail: `Missing: ${last.name}`, fix: 'Run: posthorn db migrate' });
});

test('doctor finds mail that no worker sends', async () => {
  const { key } = await createTestWorkspace(ctx);
  await acceptEmail(ctx, key);
  await posthornFor(ctx)('restore', 'prepare');
  await posthornFor(ctx)('queue', 'pause');
  const rows = toRows(await doctor());
  await posthornFor(ctx)('queue', 'resume');
  await posthornFor(ctx)('restore', 'release');
  expect(rows['queue parked']).toMatchObject({ status: 'failed', fix: expect.stringContaining('restore release') });
  expect(rows['queue pauses']).toMatchObject({ status: 'failed', fix: expect.stringContaining('queue resume') });
});

test('without Postgres, doctor still checks everything else', async () => {
  const rows = toRows(await doctor({ DATABASE_URL: 'postgres://127.0.0.1:1/posthorn' }));
  expect(rows.postgres).toMatchObject({ status: 'failed', detail: 'Postgres cannot be reached' });
  expect(rows['postgres schema']?.status).toBe('skipped');
  expect(rows.redis?.status).toBe('ok');
});

test('without Redis, doctor still checks everything else', async () => {
  const rows = toRows(await doctor({ REDIS_URL: 'redis://127.0.0.1:1' }));
  expect(rows.redis).toMatchObject({ status: 'failed' });
  expect(rows['redis eviction']?.status).toBe('skipped');
  expect(rows['clock of redis']?.status).toBe('skipped');
  expect(rows.postgres?.status).toBe('ok');
});

test('doctor says what is wrong with a REDIS_URL that leads to a Sentinel', async () => {
  const sentinels = await startSentinels();
  const rows = toRows(await doctor({ REDIS_URL: sentinels.sentinels[0]?.url ?? '' }));
  await sentinels.close();
  expect(rows['redis mode']).toMatchObject({ status: 'failed', fix: expect.stringContaining('redis+sentinel:') });
});

test('doctor finds a DATABASE_REPLICA_URL that leads to no standby', async () => {
  const { replica: row } = toRows(await doctor({ DATABASE_REPLICA_URL: ctx.config.databaseUrl }));
  expect(row).toMatchObject({ status: 'failed', detail: expect.stringContaining('not a standby') });
});

test('doctor says that an empty database must be migrated', async () => {
  const url = new URL(ctx.config.databaseUrl);
  const name = `${url.pathname.slice(1)}_empty`;
  await ctx.db.raw('create database ?? template template0', [name]);
  const rows = toRows(await doctor({ DATABASE_URL: Object.assign(url, { pathname: `/${name}` }).href }));
  await ctx.db.raw('drop database ?? with (force)', [name]);
  for (const check of ['postgres schema', 'postgres partitions'])
    expect(rows[check]).toMatchObject({ status: 'failed', fix: 'Run: posthorn db migrate' });
});
