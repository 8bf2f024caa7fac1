import { findWebhookBackoffSeconds } from '@posthorn/domain/webhooks';

const HOUR = 3_600;
const PAUSES = [5, 300, 1_800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];
/** The random number that adds no jitter. */
const MIDDLE = 0.5;

test('a delivery is tried eight times in about 27.6 hours', () => {
  const pauses = PAUSES.map((_, retries) => findWebhookBackoffSeconds(retries, null, MIDDLE));
  expect(pauses).toEqual(PAUSES);
  expect(findWebhookBackoffSeconds(PAUSES.length, null, MIDDLE)).toBeNull();
});

test('each pause differs by up to 10 percent', () => {
  for (const [retries, pause] of PAUSES.entries()) {
    expect(findWebhookBackoffSeconds(retries, null, 0)).toBeCloseTo(pause * 0.9);
    expect(findWebhookBackoffSeconds(retries, null, 1)).toBeCloseTo(pause * 1.1);
    const random = Array.from({ length: 50 }, () => findWebhookBackoffSeconds(retries, null) ?? 0);
    expect(new Set(random).size).toBeGreaterThan(1);
    for (const seconds of random) expect(Math.abs(seconds - pause)).toBeLessThanOrEqual(pause * 0.1 + 1e-6);
  }
});

test.each([
  [60, 60],
  [1, 5],
  [HOUR, HOUR],
])('a receiver that asks for %i seconds is tried again after %i', (asked, seconds) => {
  expect(findWebhookBackoffSeconds(0, asked, MIDDLE)).toBe(seconds);
});

test('a receiver cannot shorten a pause, and gets no more attempts', () => {
  expect(findWebhookBackoffSeconds(3, 1, MIDDLE)).toBe(2 * HOUR);
  expect(findWebhookBackoffSeconds(PAUSES.length, 60, MIDDLE)).toBeNull();
});
