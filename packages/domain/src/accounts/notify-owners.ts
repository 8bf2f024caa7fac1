import type { AcceptContext } from '@posthorn/domain/accepting';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { findOwners } from './member-store.js';
import { insertNotice, listNoticesOfToday, type NoticeKey } from './notice-store.js';
import { type SystemMail, sendSystemMail } from './system-mail.js';
import { lockUser } from './user-store.js';

/** An email to the owners of a workspace that none of them asked for. */
export type Notice = NoticeKey & { readonly mail: Pick<SystemMail, 'subject' | 'text' | 'html'> };

/**
 * Emails the owners of a workspace whose addresses are verified: anyone can sign up with someone else's address. Each
 * owner gets a notice once, even if this is repeated within 24 hours, and none at all above the limits on notices. What
 * it says is also in the dashboard, so nothing is lost.
 * @throws the first error, after all owners have been tried
 */
export async function notifyOwners(ctx: AcceptContext, { mail, ...notice }: Notice): Promise<void> {
  const { kind, workspaceId, noticeId } = notice;
  const { owners } = await findOwners(ctx.db, workspaceId);
  const errors: unknown[] = [];
  for (const { id, email } of owners) {
    try {
      if (await claimNotice(ctx, id, notice))
        await sendSystemMail(ctx, { to: email, ...mail, idempotencyKey: `${noticeId} ${email}` });
      else ctx.log.info({ userId: id, workspaceId, kind }, 'notice_not_mailed');
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/**
 * Decides whether a user gets a notice, and records it. Locking the user makes the decision exact, however many
 * processes have a notice for the same user.
 */
async function claimNotice({ db }: Pick<Context, 'db'>, userId: string, notice: NoticeKey): Promise<boolean> {
  return db.transaction(async (trx) => {
    await lockUser(trx, userId);
    const earlier = await listNoticesOfToday(trx, userId);
    const same = earlier.find(({ kind, objectId }) => kind === notice.kind && objectId === notice.objectId);
    // It was recorded before, but its email may not have been accepted.
    if (same) return same.noticeId === notice.noticeId;
    if (!isWithinLimits(earlier, notice)) return false;
    await insertNotice(trx, userId, notice);
    return true;
  });
}

/**
 * The limit for one kind and workspace comes first. Otherwise, many webhooks of one workspace would keep an owner from
 * hearing that this workspace, or another one, is paused.
 */
function isWithinLimits(earlier: readonly NoticeKey[], { kind, workspaceId }: NoticeKey): boolean {
  const alike = earlier.filter((notice) => notice.kind === kind && notice.workspaceId === workspaceId);
  return alike.length < limits.noticesOfKind.max && earlier.length < limits.notices.max;
}
