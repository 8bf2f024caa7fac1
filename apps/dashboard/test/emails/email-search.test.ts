import { findDates, findPeriod, listPeriods, toApiQuery, toCsvQuery } from '../../src/emails/email-search.js';

function queryFor(search: Record<string, string>): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(toApiQuery(search)));
}

test('an empty search sends no filters', () => {
  expect(toApiQuery({ to: '', status: undefined })).toBe('');
});

test('parameters that the API does not know are left out', () => {
  expect(queryFor({ to: 'jane@example.com', colour: 'red' })).toEqual({ to: 'jane@example.com' });
});

test('both dates are inclusive and in the local time zone', () => {
  expect(queryFor({ created_after: '2026-11-20', created_before: '2026-11-21' })).toEqual({
    created_after: new Date(new Date(2026, 10, 20).getTime() - 1).toISOString(),
    created_before: new Date(2026, 10, 22).toISOString(),
  });
});

test('dates that end with Z are UTC days', () => {
  expect(queryFor({ created_after: '2026-11-20Z', created_before: '2026-11-30Z' })).toEqual({
    created_after: '2026-11-19T23:59:59.999Z',
    created_before: '2026-12-01T00:00:00.000Z',
  });
});

test('an exact time is sent as it is', () => {
  const time = '2026-11-20T10:00:00.123Z';
  expect(queryFor({ created_after: time })).toEqual({ created_after: time });
});

test('an invalid date is sent as is, so that the API rejects it', () => {
  expect(queryFor({ created_after: 'yesterday' })).toEqual({ created_after: 'yesterday' });
});

const ID = '0192f0c1-0000-7000-8000-000000000000';

test.each([ID, `${ID}@example.com`, `<${ID}@example.com>`, ID.toUpperCase()])('looks for one email by %s', (q) => {
  expect(queryFor({ q })).toEqual({ message_id: q });
});

test.each(['jane@example.com', 'Order 1001', `about ${ID}`, '<x@y>'])('looks for the text %s', (q) => {
  expect(queryFor({ q })).toEqual({ q });
});

test('an export has the filters of the list, but no page', () => {
  const search = { q: 'order', status: 'sent', after: ID, limit: '50' };
  expect(toCsvQuery(search)).toBe('?q=order&status=sent&format=csv');
});

test.each(['', '1', '7', '30', '90'])('the dates of period "%s" are shown as that period', (period) => {
  const dates = findDates(period) ?? {};
  expect(findPeriod(dates)).toBe(period);
  expect(listPeriods(dates).map(({ value }) => value)).toEqual(['1', '7', '30', '90']);
});

test('today is a period of one day in the local time zone', () => {
  const now = new Date();
  const { created_after = '' } = findDates('1') ?? {};
  expect(created_after.split('-').map(Number)).toEqual([now.getFullYear(), now.getMonth() + 1, now.getDate()]);
});

test.each([{ created_after: '2026-01-01' }, { created_before: '2026-01-01' }])('%j is not a period', (search) => {
  expect(findPeriod(search)).toBe('custom');
  expect(listPeriods(search).at(-1)).toEqual({ value: 'custom', label: 'Custom dates' });
  expect(findDates('custom')).toBeNull();
});
