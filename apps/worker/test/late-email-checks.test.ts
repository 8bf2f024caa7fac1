import { setTimeout as sleep } from 'node:timers/promises';
import { type RawSmtpServer, sayAndCut, silence, startRawSmtpServer } from '@posthorn/testing';
import { copyEmail } from './copy-email.js';
import { openTestWorker, type TestWorker } from './open-test-worker.js';
import { refuseChanges } from './refuse-changes.js';

const MANY = 100;
const SLOTS = 4;
const SHARED_SLOTS = 3;
const HOUR_MS = 3_600_000;

let t: TestWorker;
let server: RawSmtpServer;
let relay: 'refuses' | 'is silent' | 'works';

beforeEach(async () => {
  relay = 'refuses';
  server = await startRawSmtpServer((moment) => {
    if (moment !== 'CONNECT' || relay === 'works') return undefined;
    return relay === 'refuses' ? sayAndCut('554 Not today') : silence;
  });
  const config = { smtpUrls: [server.url], workerConcurrency: SLOTS, sweepIntervalMs: 1_000 };
  t = await openTestWorker({ config, started: false });
});

afterEach(async () => {
  await server.close();
  await t.close();
});

const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS);

/** Stores emails whose expires_at has passed. No worker finds them before `makeDue`. @returns their ids */
async function storeExpired(): Promise<string[]> {
  const id = await t.accept({ scheduledAt: inHours(1), expiresAt: inHours(2) });
  await t.ctx
    .db('emails')
    .where({ id })
    .update({ status: 'queued', scheduled_at: null, expires_at: inHours(-1) });
  return [id, ...(await copyEmail(t.ctx, id, MANY - 1))];
}

/** Makes expired emails due all at once, as if they had waited. */
async function makeDue(ids: readonly string[]): Promise<void> {
  await t.ctx
    .db('deliveries')
    .whereIn('email_id', ids)
    .update({ is_due: true, due_at: inHours(-2), send_before: inHours(-1) });
}

async function untilAll(ids: readonly string[], status: string): Promise<void> {
  const others = () => t.ctx.db('emails').whereIn('id', ids).whereNot({ status }).first('id');
  while (await others()) await sleep(50);
}

/** Starts a worker and lets its only relay fail. From then on, the worker claims one email per sweep. */
async function startWithPausedRelay(): Promise<void> {
  const id = await t.accept();
  t.start();
  await t.until(id, 'deferred');
}

describe('while no relay works', () => {
  test('emails whose expires_at has passed end as expired', async () => {
    await startWithPausedRelay();
    const expired = await storeExpired();
    await makeDue(expired);
    await untilAll(expired, 'expired');
  });

  test('an email that expires after it was deferred ends as expired', async () => {
    const id = await t.accept({ expiresAt: new Date(Date.now() + 3_000) });
    t.start();
    await t.until(id, 'deferred');
    const { attempts } = await t.until(id, 'expired');
    expect(attempts.at(-1)).toMatchObject({ outcome: 'failed', route: null });
  });

  test('an email that was deferred may be sent until 72 hours after it was first due', async () => {
    const id = await t.accept();
    await t.ctx
      .db('deliveries')
      .where({ email_id: id })
      .update({ due_at: inHours(-70) });
    await t.ctx
      .db('emails')
      .where({ id })
      .update({ created_at: inHours(-70) });
    t.start();
    await t.until(id, 'deferred');
    const { send_before } = await t.ctx.db('deliveries').first('send_before').where({ email_id: id });
    const hoursLeft = (send_before.getTime() - Date.now()) / HOUR_MS;
    expect(hoursLeft).toBeGreaterThan(1.9);
    expect(hoursLeft).toBeLessThanOrEqual(2);
  });
});

test('emails that end without a relay do not use up the probe', async () => {
  await startWithPausedRelay();
  const unsendable = await Promise.all(Array.from({ length: 30 }, () => t.accept()));
  const live = await t.accept({ priority: 'bulk' });
  await t.ctx.db('email_contents').whereIn('email_id', unsendable).delete();
  relay = 'works';
  await t.until(live, 'sent');
  await untilAll(unsendable, 'failed');
});

test('late emails end even while every slot waits for a slow mail server', async () => {
  relay = 'is silent';
  t.start();
  await Promise.all(Array.from({ length: SHARED_SLOTS }, () => t.accept()));
  while (server.connections() < SHARED_SLOTS) await sleep(10);
  const expired = await storeExpired();
  await makeDue(expired);
  await untilAll(expired, 'expired');
});

test('an email that Postgres refuses to end does not keep others from ending', async () => {
  await startWithPausedRelay();
  const [refused = '', ...others] = await storeExpired();
  await refuseChanges(t.ctx.db, 'update on deliveries', {
    condition: `new.attempt > old.attempt and new.email_id = '${refused}'`,
  });
  await makeDue([refused, ...others]);
  await untilAll(others, 'expired');
  expect((await t.read(refused)).status).toBe('queued');
});
