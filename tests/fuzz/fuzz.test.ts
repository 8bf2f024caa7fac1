import { randomInt } from 'node:crypto';
import type { Context } from '@posthorn/platform';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { fuzz } from './fuzz.js';

/** `npm run test:fuzz` sends 100,000 requests. */
const REQUESTS = 5_000;
const seed = randomInt(1_000_000_000);

let ctx: Context;

beforeAll(async () => {
  ctx = await openTestContext();
});

afterAll(() => closeTestContext(ctx));

test(`every operation handles malformed requests, and no response contains another tenant's data (seed ${seed})`, async () => {
  const { byOperation, byStatus, failures } = await fuzz(ctx, { seed, requests: REQUESTS });
  expect(failures).toEqual([]);
  expect(byOperation.size).toBeGreaterThan(20);
  // If all requests failed authentication, this test would prove nothing.
  expect([...byStatus.keys()]).toEqual(
    expect.arrayContaining(['200', '201', '202', '204', '400', '401', '403', '404', '413', '422']),
  );
}, 180_000);
