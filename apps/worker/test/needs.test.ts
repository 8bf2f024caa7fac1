import type { RunningWorker } from '../src/worker.js';
import { loadNewerWorker } from './load-newer-worker.js';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

/** A bit of `deliveries.needs` that no version uses yet. */
const FUTURE = 0x4000;

let t: TestWorker;
let newer: RunningWorker | undefined;

beforeEach(async () => {
  t = await openTestWorker({ started: false });
});

afterEach(async () => {
  await newer?.stop();
  newer = undefined;
  await t.close();
});

/** Accepts an email as a newer API would, which knows something that this version does not. */
async function acceptNewer(): Promise<string> {
  const id = await t.accept();
  await t.ctx.db('deliveries').where({ email_id: id }).update({ needs: FUTURE });
  return id;
}

async function startNewerWorker(): Promise<void> {
  const { openContext, startWorker } = await loadNewerWorker(FUTURE);
  newer = startWorker(openContext(t.ctx.config, 'test', { log: t.ctx.log }));
}

test('an email that needs something newer waits for a worker that knows it, while other mail goes out', async () => {
  const id = await acceptNewer();
  const plain = await t.accept();
  t.start();
  t.announce([id]);
  await t.until(plain, 'sent');
  await t.until(await t.accept(), 'sent');
  expect((await t.read(id)).status).toBe('queued');
  expect(await t.ctx.db('deliveries').select('attempt', 'needs')).toEqual([{ attempt: 0, needs: FUTURE }]);

  await startNewerWorker();
  const { attempts } = await t.until(id, 'sent');
  expect(attempts).toHaveLength(1);
  expect(t.sink.messages).toHaveLength(3);
});

test('an email whose newer worker has died waits for another newer one', async () => {
  const id = await acceptNewer();
  await t.ctx.db.raw(
    `update deliveries set attempt = 1, understood = 32767, claimed_at = now(), lease_until = now() - interval '1 second'`,
  );
  t.start();
  await t.until(await t.accept(), 'sent');
  await t.until(await t.accept(), 'sent');
  expect((await t.ctx.db('deliveries').where({ email_id: id }).first('attempt'))?.attempt).toBe(1);

  await startNewerWorker();
  await t.until(id, 'sent');
});
