import { setTimeout as sleep } from 'node:timers/promises';
import { operator } from '@posthorn/domain/audit-log';
import { pauseQueue, readQueuePauses, resumeQueue } from '@posthorn/domain/delivery';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

/** Longer than a worker takes to notice a pause, and than several sweeps. */
const NOTICED_MS = 2_500;

let t: TestWorker;
beforeEach(async () => {
  t = await openTestWorker();
});
afterEach(() => t.close());

test('while one workspace is paused, its emails wait and those of others are sent', async () => {
  const other = await t.otherWorkspace();
  await pauseQueue(t.ctx, operator, t.workspaceId);
  await sleep(NOTICED_MS);
  const [waiting, test] = [await t.accept(), await t.acceptTest()];
  t.announce([waiting]);
  await t.until(await other.accept(), 'sent');
  await sleep(NOTICED_MS);
  expect([(await t.read(waiting)).status, (await t.read(test)).status]).toEqual(['queued', 'queued']);
  await resumeQueue(t.ctx, operator, t.workspaceId);
  await t.until(waiting, 'sent');
  await t.until(test, 'sent');
  expect(await t.ctx.db('audit_log').pluck('action')).toEqual(
    expect.arrayContaining(['workspace.queue_paused', 'workspace.queue_resumed']),
  );
});

test('while the service is paused, a worker claims nothing, not even emails of workers that have stopped', async () => {
  await pauseQueue(t.ctx, operator, null);
  await sleep(NOTICED_MS);
  const [waiting, abandoned] = [await t.accept(), await t.accept()];
  t.announce([waiting]);
  const at = new Date(Date.now() - 1_000);
  await t.ctx.db('deliveries').where({ email_id: abandoned }).update({ lease_until: at, claimed_at: at, attempt: 1 });
  // A worker that starts now must not claim anything either.
  t.start();
  await sleep(NOTICED_MS);
  expect(t.sink.messages).toEqual([]);
  await resumeQueue(t.ctx, operator, null);
  await t.until(waiting, 'sent');
  await t.until(abandoned, 'sent');
});

test('emails whose time has run out still end while the service is paused', async () => {
  await pauseQueue(t.ctx, operator, null);
  await sleep(NOTICED_MS);
  const id = await t.accept({ expiresAt: new Date(Date.now() + 3_600_000) });
  const past = new Date(Date.now() - 1_000);
  await t.ctx.db('emails').where({ id }).update({ expires_at: past });
  await t.ctx.db('deliveries').where({ email_id: id }).update({ send_before: past });
  await t.until(id, 'expired');
});

test('pausing twice is one pause, and resuming the service leaves the pause of a workspace alone', async () => {
  for (const workspaceId of [null, t.workspaceId, null, t.workspaceId]) await pauseQueue(t.ctx, operator, workspaceId);
  expect(await readQueuePauses(t.ctx.db)).toHaveLength(2);
  await resumeQueue(t.ctx, operator, null);
  expect(await readQueuePauses(t.ctx.db)).toMatchObject([{ workspaceId: t.workspaceId }]);
});
