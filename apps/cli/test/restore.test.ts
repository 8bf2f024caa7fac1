import { findEmail } from '@posthorn/domain/emails';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { acceptEmail } from './accept-email.js';
import { parseOutput, posthornFor } from './posthorn.js';

let ctx: Context;
beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'a restore parks the emails of all workspaces' });
});
afterEach(() => closeTestContext(ctx));

const posthorn = async (...args: string[]) => parseOutput(await posthornFor(ctx)(...args, '--json'));

test('prepare parks every waiting email, release lets workers send it, and both say how many', async () => {
  const { workspaceId, key } = await createTestWorkspace(ctx);
  const id = await acceptEmail(ctx, key);
  const earlier = ctx.incarnation.id();
  const prepared = await posthorn('restore', 'prepare');
  expect(prepared).toEqual({ incarnation: expect.stringMatching(/^[0-9a-f]{10}$/), newly_parked: 1, parked: 1 });
  expect(prepared.incarnation).not.toBe(earlier);
  const later = await acceptEmail(ctx, key);
  expect(await posthorn('email', 'show', id)).toMatchObject({ status: 'queued', parked: true });
  expect(await posthorn('email', 'show', later)).toMatchObject({ status: 'queued', parked: false });
  expect(await posthorn('queue', 'status')).toMatchObject({ due: 1, parked: 1 });
  expect(await posthorn('restore', 'release', '--workspace', workspaceId)).toEqual({ released: 1, still_parked: 0 });
  expect(await findEmail(ctx.db, workspaceId, id, { withContent: false })).toMatchObject({ isParked: false });
});

test('a second prepare parks what has been accepted since', async () => {
  const { key } = await createTestWorkspace(ctx);
  await posthorn('restore', 'prepare');
  await acceptEmail(ctx, key);
  expect(await posthorn('restore', 'prepare')).toMatchObject({ newly_parked: 1 });
});

test('release refuses an unknown workspace', async () => {
  expect(await posthornFor(ctx)('restore', 'release', '--workspace', newId())).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No workspace has the ID'),
  });
});
