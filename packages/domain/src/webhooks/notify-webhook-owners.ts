import type { AcceptContext } from '@posthorn/domain/accepting';
import { emailOwners } from '@posthorn/domain/accounts';
import { clearOwnerNotification, listOwnerNotifications } from './owner-notification-store.js';
import { webhookDisabledMail } from './webhook-disabled-mail.js';

/**
 * Emails the owners of each webhook that the service has disabled. Disabling only queues the email, in its own
 * transaction, so it is sent even if the process dies. Several processes can do this at the same time.
 */
export async function notifyWebhookOwners(ctx: AcceptContext): Promise<void> {
  for (const notification of await listOwnerNotifications(ctx.db)) {
    try {
      const { id, webhook, because } = notification;
      await emailOwners(ctx, webhook.workspaceId, id, webhookDisabledMail(ctx.config, webhook, because));
      await clearOwnerNotification(ctx.db, notification);
    } catch (error) {
      ctx.log.warn({ error, webhookId: notification.webhook.id }, 'webhook_owners_not_notified');
    }
  }
}
