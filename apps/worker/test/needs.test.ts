import { openTestWorker, type TestWorker } from './open-test-worker.js';

/** A bit of `deliveries.needs` that no version uses yet. */
const FUTURE = 0x4000;

let t: TestWorker;

beforeEach(async () => {
  t = await openTestWorker({ started: false });
});

afterEach(() => t.close());

test('an email that needs something newer waits for a worker that knows it, while other mail goes out', async () => {
  const id = await t.accept();
  await t.ctx.db('deliveries').where({ email_id: id }).update({ needs: FUTURE });
  const plain = await t.accept();
  t.start();
  t.announce([id]);
  await t.until(plain, 'sent');
  await t.until(await t.accept(), 'sent');
  expect((await t.read(id)).status).toBe('queued');
  expect(await t.ctx.db('deliveries').select('attempt', 'needs')).toEqual([{ attempt: 0, needs: FUTURE }]);
  expect(t.sink.messages).toHaveLength(2);
});
