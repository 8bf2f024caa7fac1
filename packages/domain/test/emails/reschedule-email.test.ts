import { rescheduleEmail } from '@posthorn/domain/emails';
import type { Context } from '@posthorn/platform';
import { HOUR_MS } from '@posthorn/platform/values';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { commitOptimistically } from '../../src/accepting/commit-transaction.js';
import { buildCommitRequest, openWorkspace } from '../accepting/commit-requests.js';

let ctx: Context;

beforeEach(async () => {
  ctx = await openTestContext();
});

afterEach(() => closeTestContext(ctx));

const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS);

/** An email that is scheduled for ten days from now and expires 60 hours later. */
async function storeScheduled() {
  const workspace = await openWorkspace(ctx);
  const request = buildCommitRequest(workspace, { at: new Date() });
  const [scheduledAt, expiresAt] = [inHours(240), inHours(300)];
  const [email] = request.emails;
  const scheduled = { ...email, status: 'scheduled' as const, request: { ...email.request, scheduledAt, expiresAt } };
  await commitOptimistically(ctx.db, [{ ...request, emails: [scheduled] }]);
  return { workspace, id: request.emails[0].id, expiresAt };
}

describe('rescheduling an email with expires_at', () => {
  test.each([
    [1, 'must be at most 72 hours before expires_at, which is'],
    [227, 'must be at most 72 hours before expires_at, which is'],
    [300, 'must be before expires_at, which is'],
  ])('to %i hours from now is refused if the email expires in 300 hours', async (hours, message) => {
    const { workspace, id, expiresAt } = await storeScheduled();
    const scheduledAt = hours === 300 ? expiresAt : inHours(hours);
    const refused = rescheduleEmail(ctx, workspace.id, { id, scheduledAt });
    await expect(refused).rejects.toMatchObject({
      code: 'validation_failed',
      extras: { faults: [{ field: 'scheduled_at', message: expect.stringContaining(message) }] },
    });
  });

  test('to 71 hours before it expires is allowed', async () => {
    const { workspace, id } = await storeScheduled();
    const scheduledAt = inHours(229);
    await rescheduleEmail(ctx, workspace.id, { id, scheduledAt });
    expect(await ctx.db('emails').first('scheduled_at').where({ id })).toEqual({ scheduled_at: scheduledAt });
  });
});
