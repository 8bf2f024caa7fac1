import type { Context } from '@posthorn/domain';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { fuzz } from './fuzz/run.js';

/** A taste of `npm run test:fuzz`, which sends a hundred thousand. */
const REQUESTS = 1_500;
const SEED = 20_260_101;

let ctx: Context;

beforeAll(async () => {
  ctx = await openTestContext();
});

afterAll(() => closeTestContext(ctx));

test("every operation answers whatever it is sent, and nobody reads what is another tenant's", async () => {
  const { byOperation, byStatus, failures } = await fuzz(ctx, { seed: SEED, requests: REQUESTS });
  expect(failures).toEqual([]);
  expect(byOperation.size).toBeGreaterThan(20);
  // Requests that are all refused at the door would prove nothing.
  expect([...byStatus.keys()]).toEqual(
    expect.arrayContaining(['200', '201', '202', '204', '400', '401', '403', '404', '413', '422']),
  );
}, 180_000);
