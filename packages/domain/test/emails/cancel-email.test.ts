import { cancelEmail } from '@posthorn/domain/emails';
import type { Context } from '@posthorn/platform';
import { closeTestContext, openTestContext, untilWaiting } from '@posthorn/testing';
import { commitOptimistically } from '../../src/accepting/commit-transaction.js';
import { buildCommitRequest, openWorkspace, storedFor } from '../accepting/commit-requests.js';

let ctx: Context;

beforeEach(async () => {
  ctx = await openTestContext();
});

afterEach(() => closeTestContext(ctx));

describe('cancelEmail', () => {
  test('leaves the usage rows unlocked while it waits for other locks', async () => {
    const workspace = await openWorkspace(ctx);
    const canceled = buildCommitRequest(workspace);
    await commitOptimistically(ctx.db, [canceled]);
    const locking = await ctx.db.transaction();
    await locking('emails').where({ id: canceled.emails[0].id }).forUpdate();
    const canceling = cancelEmail(ctx, workspace.id, canceled.emails[0].id);
    await untilWaiting(ctx.db, 'Lock');
    expect(await commitOptimistically(ctx.db, [buildCommitRequest(workspace)])).toBe(true);
    await locking.rollback();
    await canceling;
    expect(await storedFor(ctx, workspace)).toMatchObject({ emails: 2, used: { '2026-11': 1, '2026-11-21': 1 } });
  });
});
