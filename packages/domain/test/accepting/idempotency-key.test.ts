import { readIdempotencyKey } from '@posthorn/domain';

const fingerprintOf = (body: unknown) => readIdempotencyKey(['order-1'], 'POST /api/v1/emails', body)?.fingerprint;

test('the fingerprint of a request does not depend on the order of keys, at any depth', () => {
  const vars = { toJSON: 'a name like any other', a: 1 };
  const reordered = { a: 1, toJSON: 'a name like any other' };
  expect(fingerprintOf({ vars, to: ['jane'] })).toBe(fingerprintOf({ to: ['jane'], vars: reordered }));
});

test('the fingerprint differs for lists in another order, other times and other values', () => {
  const bodies = [
    { to: ['jane', 'joe'] },
    { to: ['joe', 'jane'] },
    { at: new Date(0) },
    { at: new Date(1) },
    { at: null },
    { at: {} },
  ];
  expect(new Set(bodies.map(fingerprintOf)).size).toBe(bodies.length);
});
