import { parseIdempotencyKey } from '@posthorn/domain/accepting';
import { createIncarnation } from '@posthorn/platform/postgres';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { buildIdempotencyRedisKey } from '../../src/accepting/idempotency-key.js';

const getFingerprint = (body: unknown) => parseIdempotencyKey(['order-1'], 'POST /api/v1/emails', body)?.fingerprint;

test('a request fingerprint does not depend on the order of JSON keys, at any depth', () => {
  const vars = { toJSON: 'a name like any other', a: 1 };
  const reordered = { a: 1, toJSON: 'a name like any other' };
  expect(getFingerprint({ vars, to: ['jane'] })).toBe(getFingerprint({ to: ['jane'], vars: reordered }));
});

test('a request fingerprint depends on times, values and the order of lists', () => {
  const bodies = [
    { to: ['jane', 'joe'] },
    { to: ['joe', 'jane'] },
    { at: new Date(0) },
    { at: new Date(1) },
    { at: null },
    { at: {} },
  ];
  expect(new Set(bodies.map(getFingerprint)).size).toBe(bodies.length);
});

test('its key in Redis begins with the incarnation of the database', async () => {
  const ctx = await openTestContext();
  const incarnation = createIncarnation(ctx.db);
  await incarnation.read();
  expect(buildIdempotencyRedisKey({ incarnation }, 'w', 'k')).toBe(`${incarnation.id()}:{w}:idem:k`);
  await closeTestContext(ctx);
});
