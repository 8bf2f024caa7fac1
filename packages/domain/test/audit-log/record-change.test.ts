import { compareFields, summarizeText } from '../../src/audit-log/record-change.js';

test('something new has no values before, and something deleted none after', () => {
  const fields = { name: 'A', expires_at: null, scopes: ['x'] };
  expect(compareFields(null, fields)).toEqual({ name: { from: null, to: 'A' }, scopes: { from: null, to: ['x'] } });
  expect(compareFields(fields, null)).toEqual({ name: { from: 'A', to: null }, scopes: { from: ['x'], to: null } });
});

test('only fields that differ are changes, and a missing field is null', () => {
  const before = { name: 'A', days: 3, scopes: ['x', 'y'], version: undefined };
  const after = { name: 'B', days: 3, scopes: ['x', 'y'], version: 1 };
  expect(compareFields(before, after)).toEqual({ name: { from: 'A', to: 'B' }, version: { from: null, to: 1 } });
  expect(compareFields(before, before)).toEqual({});
});

test('a summarized value is compared in full, and never written', () => {
  const hidden = (value: string) => ({ value, summary: 'hidden' });
  expect(compareFields({ secret: hidden('old') }, { secret: hidden('new') })).toEqual({
    secret: { from: 'hidden', to: 'hidden' },
  });
  expect(compareFields({ secret: hidden('same') }, { secret: hidden('same') })).toEqual({});
  expect(compareFields({ body: summarizeText('x') }, { body: summarizeText('y'.repeat(1_204)) })).toEqual({
    body: { from: '1 character', to: '1,204 characters' },
  });
});
