import { type Context, findHandoffMarkers, newId, type RecipientResult, writeHandoffMarker } from '@posthorn/domain';
import { closeTestContext, openTestContext } from '@posthorn/testing';

let ctx: Context;

beforeEach(async () => {
  ctx = await openTestContext();
});

afterEach(() => closeTestContext(ctx));

const id = newId();

function fatesOf(attempt: number): RecipientResult[] {
  const smtpResponse = `250 OK to attempt ${attempt}`;
  return [{ position: 0, address: 'jane@example.com', status: 'sent', smtpCode: 250, smtpResponse }];
}

const note = (attempt: number) =>
  writeHandoffMarker(ctx.redis, { id, attempt, recipientResults: fatesOf(attempt) }, 60);

test('notes of the attempts whose end nobody knows are found, the newest first', async () => {
  for (const attempt of [1, 2, 4]) await note(attempt);
  const found = await findHandoffMarkers(ctx.redis, { id, attempt: 5, ambiguousAttempts: 3 });
  expect(found).toEqual([fatesOf(4), fatesOf(2)]);
});

test('no more attempts are asked for than there were', async () => {
  await note(1);
  expect(await findHandoffMarkers(ctx.redis, { id, attempt: 2, ambiguousAttempts: 6 })).toEqual([fatesOf(1)]);
  expect(await findHandoffMarkers(ctx.redis, { id, attempt: 1, ambiguousAttempts: 1 })).toEqual([]);
});
