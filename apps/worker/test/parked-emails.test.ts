import { setTimeout as sleep } from 'node:timers/promises';
import { markDueEmails, type Outcome, recordOutcomes, selectDueEmails, setAside } from '@posthorn/domain/delivery';
import { cancelEmail, countWaiting, rescheduleEmail } from '@posthorn/domain/emails';
import { prepareRestore, releaseParked } from '@posthorn/domain/restores';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

const SEVERAL_SWEEPS_MS = 500;

let t: TestWorker;
beforeEach(async () => {
  t = await openTestWorker({ started: false });
});
afterEach(() => t.close());

const prepare = () => prepareRestore(t.ctx.config.databaseUrl);
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);
const isParked = async (id: string) => (await t.read(id)).isParked;

/** Gives an email the state of one that a worker was sending when the backup was taken. */
async function makeInFlight(id: string): Promise<void> {
  const at = new Date(Date.now() - 60_000);
  await t.ctx.db('deliveries').where({ email_id: id }).update({ lease_until: at, claimed_at: at, attempt: 1 });
}

test('parked emails are not sent until they are released, but new ones are', async () => {
  const [due, inFlight] = [await t.accept(), await t.accept()];
  await makeInFlight(inFlight);
  expect(await prepare()).toMatchObject({ parked: 2 });
  t.start();
  t.announce([due, inFlight]);
  const fresh = await t.accept();
  await t.until(fresh, 'sent');
  await sleep(SEVERAL_SWEEPS_MS);
  expect(t.sink.messages).toHaveLength(1);
  expect([await isParked(due), await isParked(inFlight), await isParked(fresh)]).toEqual([true, true, false]);
  expect(await releaseParked(t.ctx, null)).toBe(2);
  await t.until(due, 'sent');
  expect((await t.until(inFlight, 'sent')).attempts.map(({ outcome }) => outcome)).toEqual(['ambiguous', 'sent']);
});

test('an email that was being sent at the time of the backup is not sent again with AMBIGUOUS_POLICY=hold', async () => {
  const id = await t.accept();
  await makeInFlight(id);
  await prepare();
  await releaseParked(t.ctx, null);
  t.start({ ambiguousPolicy: 'hold' });
  await t.until(id, 'failed');
  expect(t.sink.messages).toEqual([]);
});

test('a scheduled email stays parked when its time comes, and after it was rescheduled or set aside', async () => {
  const id = await t.accept({ scheduledAt: inHours(1) });
  await prepare();
  await rescheduleEmail(t.ctx, t.workspaceId, { id, scheduledAt: inHours(2) });
  await t.ctx
    .db('deliveries')
    .where({ email_id: id })
    .update({ due_at: new Date(0) });
  expect(await markDueEmails(t.ctx.db, 10)).toBe(0);
  await setAside(t.ctx.db, id, 1);
  expect(await isParked(id)).toBe(true);
});

test('a released email that is due later waits for its time', async () => {
  const id = await t.accept({ scheduledAt: inHours(1) });
  await prepare();
  await releaseParked(t.ctx, null);
  t.start();
  await sleep(SEVERAL_SWEEPS_MS);
  expect(await t.read(id)).toMatchObject({ status: 'scheduled', isParked: false });
});

test('time goes on for a parked email: it does not end, but after the release it is not sent any more', async () => {
  const id = await t.accept({ expiresAt: inHours(1) });
  const past = inHours(-1);
  await t.ctx.db('emails').where({ id }).update({ expires_at: past });
  await t.ctx.db('deliveries').where({ email_id: id }).update({ send_before: past });
  await prepare();
  t.start();
  await sleep(SEVERAL_SWEEPS_MS);
  expect((await t.read(id)).status).toBe('queued');
  await releaseParked(t.ctx, null);
  await t.until(id, 'expired');
  expect(t.sink.messages).toEqual([]);
});

test('the release can be limited to a workspace', async () => {
  const other = await t.otherWorkspace();
  const ids = [await t.accept(), await other.accept()];
  const testMail = await t.acceptTest();
  await prepare();
  expect(await releaseParked(t.ctx, t.workspaceId)).toBe(2);
  expect(await Promise.all([...ids, testMail].map(isParked))).toEqual([false, true, false]);
  expect((await countWaiting(t.ctx.db)).parked).toBe(1);
});

test('a parked email can be canceled', async () => {
  const id = await t.accept();
  await prepare();
  await cancelEmail(t.ctx, t.workspaceId, id);
  expect(await t.read(id)).toMatchObject({ status: 'canceled', isParked: false });
  expect(await releaseParked(t.ctx, null)).toBe(0);
});

test('an attempt that ends after `restore prepare` leaves its email parked', async () => {
  const id = await t.accept();
  const [claimed] = await selectDueEmails(t.ctx.db, { limit: 1, holders: [], onlyOthers: false }, 60).claimMany();
  await prepare();
  const outcome = deferredOutcome(id, claimed?.attempt ?? 0);
  await recordOutcomes(t.ctx.db, [outcome]);
  expect(await t.read(id)).toMatchObject({ status: 'deferred', isParked: true, nextAttemptAt: null });
});

function deferredOutcome(id: string, attempt: number): Outcome {
  return {
    ...{ id, attempt, status: 'deferred', outcome: 'deferred', phase: 'connect', route: null, conversation: [] },
    ...{ retryInSeconds: 60, charged: true, recipientResults: [], event: null },
  };
}
