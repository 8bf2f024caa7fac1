import { expiresAt } from '../../src/api-keys/expiry';

const NOW = new Date('2026-11-21T08:00:00Z');

beforeEach(() => {
  jest.useFakeTimers({ now: NOW });
});

afterEach(() => {
  jest.useRealTimers();
});

test('a key that never expires has no time', () => {
  expect(expiresAt('never', '')).toBeNull();
});

test('days are counted from now', () => {
  expect(expiresAt('30', '')).toBe('2026-12-21T08:00:00.000Z');
});

test('a date is the beginning of that day where the viewer is', () => {
  expect(expiresAt('date', '2026-12-01')).toBe(new Date(2026, 11, 1).toISOString());
});

test.each(['', '2026-13-01', 'soon'])('%j, which is no date, is left to the API to refuse', (typed) => {
  expect(expiresAt('date', typed)).toBe(typed);
});
