import { readIdempotencyKey } from '@posthorn/domain/accepting';

const getFingerprint = (body: unknown) => readIdempotencyKey(['order-1'], 'POST /api/v1/emails', body)?.fingerprint;

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
