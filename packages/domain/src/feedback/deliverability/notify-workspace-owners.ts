import type { AcceptContext } from '@posthorn/domain/accepting';
import { emailOwners } from '@posthorn/domain/accounts';
import { reputationMail } from './reputation-mail.js';
import { clearReputationNotification, listReputationNotifications } from './reputation-store.js';

/**
 * Emails the owners of workspaces that were warned or paused. The emails were queued in the transaction of the change,
 * so they are sent even if the process dies. Several processes can do this at the same time.
 */
export async function notifyWorkspaceOwners(ctx: AcceptContext): Promise<void> {
  for (const notification of await listReputationNotifications(ctx.db)) {
    try {
      const { id, workspaceId } = notification;
      await emailOwners(ctx, workspaceId, id, reputationMail(ctx.config, notification));
      await clearReputationNotification(ctx.db, notification);
    } catch (error) {
      ctx.log.warn({ error, workspaceId: notification.workspaceId }, 'workspace_owners_not_notified');
    }
  }
}
