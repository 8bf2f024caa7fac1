import { findHandoffMarkers, type RecipientResult, writeHandoffMarker } from '@posthorn/domain/delivery';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, openTestContext } from '@posthorn/testing';

let ctx: Context;

beforeEach(async () => {
  ctx = await openTestContext();
});

afterEach(() => closeTestContext(ctx));

const id = newId();

function buildResults(attempt: number): RecipientResult[] {
  const smtpResponse = `250 OK to attempt ${attempt}`;
  return [{ position: 0, address: 'jane@example.com', status: 'sent', smtpCode: 250, smtpResponse }];
}

const writeMarker = (attempt: number) =>
  writeHandoffMarker(ctx, { id, attempt, recipientResults: buildResults(attempt) }, 60);

test('markers of attempts with an unknown outcome are found, newest first', async () => {
  for (const attempt of [1, 2, 4]) await writeMarker(attempt);
  const found = await findHandoffMarkers(ctx, { id, attempt: 5, ambiguousAttempts: 3, unsentAttempts: 0 });
  expect(found).toEqual([buildResults(4), buildResults(2)]);
});

test('markers are looked up only for attempts that were made', async () => {
  await writeMarker(1);
  const counts = { ambiguousAttempts: 6, unsentAttempts: 1 };
  expect(await findHandoffMarkers(ctx, { id, attempt: 2, ...counts })).toEqual([buildResults(1)]);
  expect(await findHandoffMarkers(ctx, { id, attempt: 1, ...counts })).toEqual([]);
});

test('markers are found even after attempts that were certainly not a handoff', async () => {
  await writeMarker(1);
  const found = await findHandoffMarkers(ctx, { id, attempt: 4, ambiguousAttempts: 1, unsentAttempts: 2 });
  expect(found).toEqual([buildResults(1)]);
});
