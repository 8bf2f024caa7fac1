import { type Context, type Fate, findHandovers, newId, noteHandover } from '@posthorn/domain';
import { closeTestContext, openTestContext } from '@posthorn/testing';

let ctx: Context;

beforeEach(async () => {
  ctx = await openTestContext();
});

afterEach(() => closeTestContext(ctx));

const id = newId();

function fatesOf(attempt: number): Fate[] {
  const smtpResponse = `250 OK to attempt ${attempt}`;
  return [{ position: 0, address: 'jane@example.com', status: 'sent', smtpCode: 250, smtpResponse }];
}

const note = (attempt: number) => noteHandover(ctx.redis, { id, attempt, fates: fatesOf(attempt) }, 60);

test('notes of the attempts whose end nobody knows are found, the newest first', async () => {
  for (const attempt of [1, 2, 4]) await note(attempt);
  const found = await findHandovers(ctx.redis, { id, attempt: 5, ambiguousAttempts: 3 });
  expect(found).toEqual([fatesOf(4), fatesOf(2)]);
});

test('no more attempts are asked for than there were', async () => {
  await note(1);
  expect(await findHandovers(ctx.redis, { id, attempt: 2, ambiguousAttempts: 6 })).toEqual([fatesOf(1)]);
  expect(await findHandovers(ctx.redis, { id, attempt: 1, ambiguousAttempts: 1 })).toEqual([]);
});
