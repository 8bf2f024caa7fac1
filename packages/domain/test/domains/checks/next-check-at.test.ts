import { nextCheckAt } from '../../../src/domains/checks/next-check-at.js';

const start = new Date('2026-11-21T10:00:00.000Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('nextCheckAt', () => {
  const after = (waitedMs: number, verification: object, more: object = {}) => {
    const now = new Date(start.getTime() + waitedMs);
    const next = nextCheckAt(
      { status: 'pending', statusSince: start, verifiedByOperator: false, ...verification },
      { pendingKeySince: null, result: 'failed', now, ...more },
    );
    return next && next.getTime() - now.getTime();
  };

  test.each([
    [0, 2 * MINUTE],
    [HOUR - 1, 2 * MINUTE],
    [HOUR, 15 * MINUTE],
    [DAY, 2 * HOUR],
    [7 * DAY, DAY],
    [400 * DAY, DAY],
  ])('after a wait of %d ms, schedules the next check %d ms later', (waited, pause) => {
    expect(after(waited, {})).toBe(pause);
    expect(after(waited, { status: 'withdrawn' })).toBe(pause);
    expect(after(waited, { status: 'verified' }, { pendingKeySince: start, result: 'passed' })).toBe(pause);
  });

  test('checks a verified domain once a day, and one hour after an inconclusive check', () => {
    for (const result of ['passed', 'failed']) {
      const pause = after(400 * DAY, { status: 'verified' }, { result });
      expect(pause).toBeGreaterThanOrEqual(DAY);
      expect(pause).toBeLessThanOrEqual(DAY + HOUR);
    }
    expect(after(0, { status: 'verified' }, { result: 'unknown' })).toBe(HOUR);
  });

  test('checks a domain that was verified by the operator, but only while a new key is waiting', () => {
    const verifiedByOperator = { status: 'verified', verifiedByOperator: true };
    expect(after(0, verifiedByOperator)).toBeNull();
    expect(after(0, verifiedByOperator, { pendingKeySince: start })).toBe(2 * MINUTE);
  });
});
