import type { AcceptContext } from '../accepting/accept-context.js';
import { findOwners } from '../accounts/membership-store.js';
import { sendSystemMail } from '../accounts/send-system-mail.js';
import { reputationMail } from './reputation-mail.js';
import {
  clearReputationNotification,
  listReputationNotifications,
  type ReputationNotification,
} from './reputation-store.js';

/**
 * Emails the owners of workspaces that were warned or paused. The emails were queued in the transaction of the change,
 * so they are sent even if the process dies. Several processes can do this at the same time.
 */
export async function notifyOfReputation(ctx: AcceptContext): Promise<void> {
  for (const notification of await listReputationNotifications(ctx.db)) {
    try {
      await emailOwners(ctx, notification);
      await clearReputationNotification(ctx.db, notification);
    } catch (error) {
      ctx.log.warn({ error, workspaceId: notification.workspaceId }, 'workspace_owners_not_notified');
    }
  }
}

/** @throws the first error, after all owners have been tried */
async function emailOwners(ctx: AcceptContext, notification: ReputationNotification): Promise<void> {
  const { owners } = await findOwners(ctx.db, notification.workspaceId);
  const mail = reputationMail(ctx.config, notification);
  const sent = await Promise.allSettled(
    owners.map((to) => sendSystemMail(ctx, { to, ...mail, idempotencyKey: `${notification.id} ${to}` })),
  );
  for (const result of sent) if (result.status === 'rejected') throw result.reason;
}
