import { toExpiry } from '../../src/api-keys/expiry.js';

const NOW = new Date('2026-11-21T08:00:00Z');

beforeEach(() => {
  jest.useFakeTimers({ now: NOW });
});

afterEach(() => {
  jest.useRealTimers();
});

test('a key that never expires has no expiry time', () => {
  expect(toExpiry('never', '')).toBeNull();
});

test('days are counted from now', () => {
  expect(toExpiry('30', '')).toBe('2026-12-21T08:00:00.000Z');
});

test('a date means the start of that day in the local time zone', () => {
  expect(toExpiry('date', '2026-12-01')).toBe(new Date(2026, 11, 1).toISOString());
});

test.each(['', '2026-13-01', 'soon'])('the invalid date %j is sent as is, so that the API rejects it', (date) => {
  expect(toExpiry('date', date)).toBe(date);
});
