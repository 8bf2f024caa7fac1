import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@posthorn/domain';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

const LEASES = 3;

let t: TestWorker;
let logged: Array<{ event: string; emailId?: string }>;

beforeEach(async () => {
  logged = [];
  const ignore = () => {};
  const record = (fields: object, event: string) => void logged.push({ ...fields, event });
  const log: Log = { debug: ignore, info: ignore, warn: record, error: record };
  t = await openTestWorker({ started: false, log, config: { leaseSeconds: 1, workerConcurrency: 1 } });
});

afterEach(() => t.close());

/** Makes Postgres refuse the outcome of this email. */
async function refuseOutcome(id: string): Promise<void> {
  await t.ctx.db.raw(`
    create function refuse() returns trigger language plpgsql as $$
    begin raise exception using errcode = '22003'; end $$;
    create trigger refuse before insert on delivery_attempts
      for each row when (new.email_id = '${id}' and new.outcome = 'sent') execute function refuse()`);
}

const refusals = () => logged.filter(({ event }) => event === 'outcome_not_recorded');

describe('an outcome that Postgres refuses', () => {
  test('is logged and kept, so the email is neither sent again nor stops other emails, even without Redis', async () => {
    const refused = await t.accept();
    await refuseOutcome(refused);
    t.start();
    t.start();
    while (refusals().length === 0) await sleep(20);
    while (refusals().length < LEASES) {
      await t.ctx.redis.flushdb();
      await sleep(50);
    }
    expect(refusals()[0]).toMatchObject({ emailId: refused });
    await t.until(await t.accept({ to: ['joe@example.com'] }), 'sent');
    expect(await t.read(refused)).toMatchObject({ status: 'sending', attempts: [{ attempt: 1, outcome: null }] });
    expect(t.sink.messages).toHaveLength(2);

    await t.ctx.db.raw('drop function refuse cascade');
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
    await t.ctx.db.raw('drop function refuse cascade');
    t.start();
    const email = await t.until(refused, 'sent');
    expect(email.attempts.map(({ outcome }) => outcome)).toEqual(['ambiguous', 'sent']);
    expect(t.sink.messages).toHaveLength(1);
  });
});
