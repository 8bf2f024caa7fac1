import { toApiQuery } from '../../src/emails/email-search';

function asked(search: Record<string, string>): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(toApiQuery(search)));
}

test('an empty search asks for everything', () => {
  expect(toApiQuery({ to: '', status: undefined })).toBe('');
});

test('what the API does not know is left out', () => {
  expect(asked({ to: 'jane@example.com', colour: 'red' })).toEqual({ to: 'jane@example.com' });
});

test('both days belong to what is searched, as the viewer has them', () => {
  expect(asked({ created_after: '2026-11-20', created_before: '2026-11-21' })).toEqual({
    created_after: new Date(new Date(2026, 10, 20).getTime() - 1).toISOString(),
    created_before: new Date(2026, 10, 22).toISOString(),
  });
});

test('what is no day is left to the API to refuse', () => {
  expect(asked({ created_after: 'yesterday' })).toEqual({ created_after: 'yesterday' });
});
