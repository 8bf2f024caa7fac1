import { createWebhookCircuitBreaker } from '../../src/webhooks/webhook-circuit-breaker.js';

const FAILED = { pauseSeconds: 0, isGone: false };

/** A breaker after so many failures, and another `failed` times. */
function breakerAfter(failures: number, failed: number) {
  const breaker = createWebhookCircuitBreaker({ failures, isConfirmed: true });
  for (let count = 0; count < failed; count += 1) breaker.failed(FAILED);
  return breaker;
}

/** The pause without jitter. */
const pauseAfter = (failures: number, failed: number) => breakerAfter(failures, failed).state(0.5).pauseSeconds;

test('there is no pause before ten failures in a row', () => {
  expect(pauseAfter(0, 9)).toBe(0);
  expect(breakerAfter(0, 9).allowsMore()).toBe(true);
  expect(breakerAfter(0, 10).allowsMore()).toBe(false);
});

test('the first pause is 5 seconds, however many requests failed together', () => {
  expect(pauseAfter(0, 10)).toBe(5);
  expect(pauseAfter(3, 25)).toBe(5);
});

test('the pause doubles with each single request that fails, up to 10 minutes', () => {
  const pauses: number[] = [];
  let { failures } = breakerAfter(0, 16).state();
  for (let probes = 0; probes < 8; probes += 1) {
    const state = breakerAfter(failures, 1).state(0.5);
    pauses.push(state.pauseSeconds);
    ({ failures } = state);
  }
  expect(pauses).toEqual([10, 20, 40, 80, 160, 320, 600, 600]);
  expect(breakerAfter(30, 1).state(1).pauseSeconds).toBe(600);
});

test('one success ends it', () => {
  const breaker = breakerAfter(15, 0);
  breaker.succeeded();
  expect(breaker.allowsMore()).toBe(true);
  expect(breaker.state()).toEqual({ failures: 0, hasSucceeded: true, pauseSeconds: 0, isGone: false });
});

test('after a success, requests that fail together cause only the first, shortest pause', () => {
  const breaker = breakerAfter(15, 0);
  breaker.succeeded();
  for (let count = 0; count < 16; count += 1) breaker.failed(FAILED);
  expect(breaker.state(0.5)).toEqual({ failures: 10, hasSucceeded: true, pauseSeconds: 5, isGone: false });
});

test('a receiver that asks for a longer pause gets it', () => {
  const breaker = createWebhookCircuitBreaker({ failures: 0, isConfirmed: true });
  breaker.failed({ pauseSeconds: 60, isGone: false });
  expect(breaker.allowsMore()).toBe(false);
  expect(breaker.state().pauseSeconds).toBe(60);
});
