import { setTimeout as sleep } from 'node:timers/promises';
import { openTestWorker, type TestWorker } from './open-test-worker.js';
import { allowChanges, refuseChanges } from './refuse-changes.js';
import { warningLog } from './warning-log.js';

/** With a lease of one second, a busy machine that stood still lost it, and another worker claimed the email. */
const LEASE_SECONDS = 3;
/** At once, and then once per lease. The third one comes well after the first lease would have ended. */
const REFUSALS = 3;

let t: TestWorker;
let log: ReturnType<typeof warningLog>;

beforeEach(async () => {
  log = warningLog();
  t = await openTestWorker({ started: false, log, config: { leaseSeconds: LEASE_SECONDS, workerConcurrency: 1 } });
});

afterEach(() => t.close());

/** Makes Postgres refuse the outcome of this email. */
async function refuseOutcome(id: string): Promise<void> {
  await refuseChanges(t.ctx.db, 'insert on delivery_attempts', {
    condition: `new.email_id = '${id}' and new.outcome = 'sent'`,
  });
}

const refusals = () => log.warnings.filter(({ event }) => event === 'outcome_not_recorded');

describe('an outcome that Postgres refuses', () => {
  test('is logged and kept, so the email is not sent again and does not stop other emails, even without Redis', async () => {
    const refused = await t.accept();
    await refuseOutcome(refused);
    t.start();
    t.start();
    while (refusals().length === 0) await sleep(20);
    while (refusals().length < REFUSALS) {
      await t.ctx.redis.flushdb();
      await sleep(50);
    }
    expect(refusals()[0]).toMatchObject({ emailId: refused });
    await t.until(await t.accept({ to: ['joe@example.com'] }), 'sent');
    expect(await t.read(refused)).toMatchObject({ status: 'sending', attempts: [{ attempt: 1, outcome: null }] });
    expect(t.sink.messages).toHaveLength(2);

    await allowChanges(t.ctx.db);
    const email = await t.until(refused, 'sent');
    expect(email.attempts.map(({ outcome }) => outcome)).toEqual(['sent']);
    expect(t.sink.messages).toHaveLength(2);
  });

  test('does not keep the worker from stopping, and the next worker finds the result', async () => {
    const refused = await t.accept();
    await refuseOutcome(refused);
    t.start();
    while (refusals().length === 0) await sleep(20);
    await t.stopAll();
    await allowChanges(t.ctx.db);
    t.start();
    const email = await t.until(refused, 'sent');
    expect(email.attempts.map(({ outcome }) => outcome)).toEqual(['ambiguous', 'sent']);
    expect(t.sink.messages).toHaveLength(1);
  });
});
