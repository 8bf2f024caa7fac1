import { setTimeout as sleep } from 'node:timers/promises';
import { claimEmails } from '@posthorn/domain/delivery';
import { openClaimBatch } from '../src/claiming/claim-emails.js';
import { openTestWorker, type TestWorker } from './open-test-worker.js';
import { allowChanges, refuseChanges } from './refuse-changes.js';
import { warningLog } from './warning-log.js';

const EMAILS = 5;
const REQUEST_ID = '0192f0c1-0000-7000-8000-000000000001';

let t: TestWorker;
let log: ReturnType<typeof warningLog>;

beforeEach(async () => {
  log = warningLog();
  t = await openTestWorker({ started: false, log });
});

afterEach(() => t.close());

const acceptMany = () => Promise.all(Array.from({ length: EMAILS }, () => t.accept()));

/** Makes Postgres refuse every claim of this email. */
async function refuseClaims(id: string): Promise<void> {
  await refuseChanges(t.ctx.db, 'update on deliveries', {
    condition: `new.email_id = '${id}' and new.attempt > old.attempt`,
  });
}

async function allowClaims(id: string): Promise<void> {
  await allowChanges(t.ctx.db);
  await t.ctx
    .db('deliveries')
    .where({ email_id: id })
    .update({ due_at: new Date(0) });
}

async function untilLogged(event: string, emailId: string): Promise<void> {
  while (!log.warnings.some((line) => line.event === event && line.emailId === emailId)) await sleep(10);
}

describe('an email that Postgres refuses to claim', () => {
  test('is set aside with a log line, does not hold up other emails, and is sent once it can be claimed', async () => {
    const [refused = '', ...others] = await acceptMany();
    await t.ctx.redis.flushdb();
    await t.ctx.db('email_contents').where({ email_id: refused }).update({ request_id: REQUEST_ID });
    await refuseClaims(refused);
    t.start();
    await untilLogged('email_not_claimed', refused);
    expect(log.warnings).toContainEqual(expect.objectContaining({ emailId: refused, requestId: REQUEST_ID }));
    for (const id of others) await t.until(id, 'sent');
    expect((await t.read(refused)).status).toBe('queued');
    const row = await t.ctx.db('deliveries').where({ email_id: refused }).first();
    expect(row).toMatchObject({ is_due: false, attempt: 0 });
    expect(row.due_at.getTime()).toBeGreaterThan(Date.now());
    await allowClaims(refused);
    await t.until(refused, 'sent');
    expect(t.sink.messages).toHaveLength(EMAILS);
  });

  test('does not affect other emails that are claimed with it for delivery jobs', async () => {
    const [refused = '', ...others] = await acceptMany();
    await refuseClaims(refused);
    const claim = openClaimBatch(t.ctx);
    const [ofRefused, ...ofOthers] = await Promise.allSettled([refused, ...others].map(claim));
    expect(ofRefused).toMatchObject({ status: 'rejected', reason: { code: '22003' } });
    expect(ofOthers).toMatchObject(others.map((id) => ({ status: 'fulfilled', value: { id } })));
  });

  test('does not keep another worker from taking over the emails of one that stopped', async () => {
    const [refused = '', ...others] = await acceptMany();
    await claimEmails(t.ctx.db, [refused, ...others], 60);
    await t.ctx.db('deliveries').update({ lease_until: new Date(0) });
    await refuseClaims(refused);
    const waiting = await t.accept();
    t.start();
    for (const id of [...others, waiting]) await t.until(id, 'sent');
    await untilLogged('email_not_claimed', refused);
    expect((await t.read(refused)).status).toBe('sending');
  });
});

test('an email whose content is gone fails with a reason', async () => {
  const id = await t.accept();
  await t.ctx.db('email_contents').where({ email_id: id }).delete();
  t.start();
  const email = await t.until(id, 'failed');
  expect(email.events.at(-1)?.detail).toBe('The content of the email is no longer stored');
  expect(t.sink.messages).toHaveLength(0);
});
