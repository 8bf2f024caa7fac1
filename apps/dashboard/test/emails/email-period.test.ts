import { findDates, findPeriod, periodOptions } from '../../src/emails/email-search.js';

test.each(['', '1', '7', '30', '90'])('the dates of period "%s" are shown as that period', (period) => {
  const dates = findDates(period) ?? {};
  expect(findPeriod(dates)).toBe(period);
  expect(periodOptions(dates).map(({ value }) => value)).toEqual(['1', '7', '30', '90']);
});

test('today is a period of one day in the local time zone', () => {
  const now = new Date();
  const { created_after = '' } = findDates('1') ?? {};
  expect(created_after.split('-').map(Number)).toEqual([now.getFullYear(), now.getMonth() + 1, now.getDate()]);
});

test.each([{ created_after: '2026-01-01' }, { created_before: '2026-01-01' }])('%j is not a period', (search) => {
  expect(findPeriod(search)).toBe('custom');
  expect(periodOptions(search).at(-1)).toEqual({ value: 'custom', label: 'Custom dates' });
  expect(findDates('custom')).toBeNull();
});
