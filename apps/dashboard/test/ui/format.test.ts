import { formatRelativeTime } from '../../src/ui/format.js';

const now = new Date('2026-11-22T12:00:00Z');

test.each([
  ['2026-11-22T11:59:01Z', 'less than a minute ago'],
  ['2026-11-22T12:00:59Z', 'in less than a minute'],
  ['2026-11-22T11:59:00Z', '1 minute ago'],
  ['2026-11-22T11:00:01Z', '59 minutes ago'],
  ['2026-11-22T15:30:00Z', 'in 3 hours'],
  ['2026-11-21T12:00:00Z', 'yesterday'],
  ['2026-11-24T13:00:00Z', 'in 2 days'],
  ['2026-10-23T12:00:00Z', '30 days ago'],
  ['2026-10-22T11:59:59Z', null],
  ['2027-01-01T00:00:00Z', null],
])('%s is %s', (time, expected) => {
  expect(formatRelativeTime(new Date(time), now)).toBe(expected);
});
