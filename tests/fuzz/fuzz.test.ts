import type { Context } from '@posthorn/platform';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { fuzz } from './fuzz.js';

/** `npm run test:fuzz` sends 100,000 requests. */
const REQUESTS = 3_000;
const SEED = 20_260_101;

let ctx: Context;

beforeAll(async () => {
  ctx = await openTestContext();
});

afterAll(() => closeTestContext(ctx));

test("every operation handles malformed requests, and no response contains another tenant's data", async () => {
  const { byOperation, byStatus, failures } = await fuzz(ctx, { seed: SEED, requests: REQUESTS });
  expect(failures).toEqual([]);
  expect(byOperation.size).toBeGreaterThan(20);
  // If all requests failed authentication, this test would prove nothing.
  expect([...byStatus.keys()]).toEqual(
    expect.arrayContaining(['200', '201', '202', '204', '400', '401', '403', '404', '413', '422']),
  );
}, 180_000);
