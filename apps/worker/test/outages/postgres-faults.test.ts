import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { operator } from '@posthorn/domain/audit-log';
import { claimEmails } from '@posthorn/domain/delivery';
import { migrateDatabase } from '@posthorn/domain/schema';
import { createTemplate, createTemplateCache } from '@posthorn/domain/templates';
import { createMessageMemory, renderMessage } from '@posthorn/message';
import { connectDatabase } from '@posthorn/platform/postgres';
import { type Postgres, startPostgres } from '@posthorn/servers';
import { type RawSmtpServer, say, startRawSmtpServer } from '@posthorn/testing';
import { openTestWorker, type TestWorker } from '../open-test-worker.js';
import { refuseChanges } from '../refuse-changes.js';

const EMAILS = 5;
const settings = { fsync: 'off' };

let folder: string;
let postgres: Postgres;
let server: RawSmtpServer;
let t: TestWorker;
/** Each function sends the reply to one final dot. */
let replies: Array<() => void>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-postgres-'));
  postgres = await startPostgres({ dataDir: folder, settings });
  await migrateDatabase(postgres.url);
  replies = [];
  server = await startRawSmtpServer((moment) =>
    moment === 'DOT' ? (socket) => replies.push(() => say('250 OK')(socket)) : undefined,
  );
  const config = { databaseUrl: postgres.url, smtpUrls: [server.url], leaseSeconds: 60 };
  t = await openTestWorker({ config, started: false });
  await t.ctx.incarnation.read();
});

afterEach(async () => {
  await t.close();
  await server.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Sends emails but holds back the replies to their final dots. @returns their ids when the messages have arrived */
async function sendHeld(): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: EMAILS }, () => t.accept()));
  while (replies.length < EMAILS) await sleep(10);
  return ids;
}

async function restartPostgres(): Promise<void> {
  postgres = await startPostgres({ dataDir: folder, port: postgres.port, settings });
}

async function setReadOnly(isReadOnly: boolean): Promise<void> {
  const db = connectDatabase(postgres.url, { poolSize: 1 });
  await db.raw(`alter system set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
  await db.raw('select pg_reload_conf()');
  await db.destroy();
}

async function expectSentOnce(ids: string[]): Promise<void> {
  for (const id of ids) {
    const email = await t.until(id, 'sent');
    expect(email.attempts.map(({ outcome }) => outcome)).toEqual(['sent']);
  }
  expect(server.messages).toHaveLength(EMAILS);
}

describe('a Postgres that is down when the server replies', () => {
  test('receives the outcomes once it is back', async () => {
    const worker = t.start();
    const ids = await sendHeld();
    await postgres.stopImmediately();
    for (const reply of replies) reply();
    await sleep(500);
    await restartPostgres();
    await expectSentOnce(ids);
    expect(await worker.ctx.metrics.registry.metrics()).toMatch(/^posthorn_lost_leases_total 0$/m);
  });

  test('also receives the outcomes from a worker that is stopping', async () => {
    const worker = t.start();
    const ids = await sendHeld();
    await postgres.stopImmediately();
    const stopping = worker.stop();
    for (const reply of replies) reply();
    await sleep(500);
    await restartPostgres();
    await stopping;
    await expectSentOnce(ids);
  });
});

test('outcomes are recorded later if Postgres is read-only when the server replies, even if Redis is empty', async () => {
  const lease = { leaseSeconds: 1 };
  t.start(lease);
  const ids = await sendHeld();
  t.start(lease);
  await setReadOnly(true);
  for (const reply of replies) reply();
  // Longer than a lease, so that the other worker may claim the emails as soon as Postgres accepts writes.
  await sleep(2_000);
  await t.ctx.redis.flushdb();
  await setReadOnly(false);
  await expectSentOnce(ids);
});

test('once Postgres is back, workers that could not extend their leases get some time to do so', async () => {
  const id = await t.accept();
  await claimEmails(t.ctx.db, [id], 1);
  await setReadOnly(true);
  t.start({ leaseSeconds: 1 });
  await sleep(1_500);
  await setReadOnly(false);
  await sleep(500);
  expect((await t.read(id)).attempts).toHaveLength(1);
  while ((await t.read(id)).attempts.length < 2) await sleep(50);
  while (replies.length < 1) await sleep(10);
  replies[0]?.();
  await t.until(id, 'sent');
});

test('an email waits if Postgres is down when its template is read', async () => {
  const parts = { subject: 'Hello', htmlBody: '<p>Hi</p>', textBody: 'Hi' };
  const { id: templateId } = await createTemplate(t.ctx, operator, t.workspaceId, { name: 'Greeting', ...parts });
  const id = await t.accept({ content: { kind: 'template', templateId, vars: {} } });
  const [email] = await claimEmails(t.ctx.db, [id], 60);
  if (!email) throw new Error('Nothing was claimed');
  const ctx = { ...t.ctx, templates: createTemplateCache(), messageMemory: createMessageMemory() };
  await postgres.stopImmediately();
  expect(await renderMessage(ctx, email)).toEqual({ postponed: 'The template could not be read' });
  await restartPostgres();
  expect(await renderMessage(ctx, email)).toEqual({ message: expect.any(Buffer) });
});

test('an email waits if Postgres is down when its large body is read', async () => {
  const id = await t.accept({ content: { kind: 'raw', subject: 'Large', html: null, text: 'x'.repeat(300_000) } });
  const [email] = await claimEmails(t.ctx.db, [id], 60);
  if (!email) throw new Error('Nothing was claimed');
  const ctx = { ...t.ctx, templates: createTemplateCache(), messageMemory: createMessageMemory() };
  await postgres.stopImmediately();
  expect(await renderMessage(ctx, email)).toEqual({ postponed: 'The content could not be read' });
  await restartPostgres();
  expect(await renderMessage(ctx, email)).toEqual({ message: expect.any(Buffer) });
});

test('an outcome that Postgres refuses does not stop the others from being written', async () => {
  t.start();
  await refuseChanges(t.ctx.db, 'update on email_recipients', {
    condition: `new.address = 'refused@example.com'`,
    sqlState: '23514',
  });
  const refused = await t.accept({ to: ['refused@example.com'] });
  const others = await Promise.all(Array.from({ length: EMAILS - 1 }, () => t.accept()));
  while (replies.length < EMAILS) await sleep(10);
  for (const reply of replies) reply();
  for (const id of others) await t.until(id, 'sent');
  expect((await t.read(refused)).status).toBe('sending');
});

test('an outcome whose email is locked does not stop the others from being written', async () => {
  t.start();
  const [locked = '', ...others] = await sendHeld();
  await t.ctx.db.transaction(async (trx) => {
    await trx('deliveries').where({ email_id: locked }).forUpdate().first();
    for (const reply of replies) reply();
    for (const id of others) await t.until(id, 'sent');
    expect((await t.read(locked)).status).toBe('sending');
  });
  await t.until(locked, 'sent');
  expect(server.messages).toHaveLength(EMAILS);
});

test('while Postgres is slow to record outcomes, the worker sends at most one more email per slot', async () => {
  t.start({ workerConcurrency: 1 });
  const replyTo = async (turn: number) => {
    while (replies.length <= turn) await sleep(10);
    replies[turn]?.();
  };
  const first = await t.accept();
  while (replies.length < 1) await sleep(10);
  const others = await t.ctx.db.transaction(async (trx) => {
    await trx('deliveries').where({ email_id: first }).forUpdate().first();
    await replyTo(0);
    const ids = [await t.accept(), await t.accept()];
    await replyTo(1);
    await sleep(500);
    expect(replies).toHaveLength(2);
    return ids;
  });
  await replyTo(2);
  for (const id of [first, ...others]) await t.until(id, 'sent');
  expect(server.messages).toHaveLength(3);
});
