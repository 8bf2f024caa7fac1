import type { AcceptContext } from '../accepting/accept-context.js';
import { findOwners } from '../accounts/membership-store.js';
import { sendSystemMail } from '../accounts/send-system-mail.js';
import { clearOwnerNotification, listOwnerNotifications, type OwnerNotification } from './owner-notification-store.js';
import { webhookDisabledMail } from './webhook-disabled-mail.js';

/**
 * Emails the owners of each webhook that the service has disabled. Disabling only queues the email, in its own
 * transaction, so it is sent even if the process dies. Several processes can do this at the same time.
 */
export async function notifyWebhookOwners(ctx: AcceptContext): Promise<void> {
  for (const notification of await listOwnerNotifications(ctx.db)) {
    try {
      await emailOwners(ctx, notification);
      await clearOwnerNotification(ctx.db, notification);
    } catch (error) {
      ctx.log.warn({ error, webhookId: notification.webhook.id }, 'webhook_owners_not_notified');
    }
  }
}

/** @throws the first error, after all owners have been tried */
async function emailOwners(ctx: AcceptContext, { id, webhook, because }: OwnerNotification): Promise<void> {
  const { owners } = await findOwners(ctx.db, webhook.workspaceId);
  const mail = webhookDisabledMail(ctx.config, webhook, because);
  const sent = await Promise.allSettled(
    owners.map((to) => sendSystemMail(ctx, { to, ...mail, idempotencyKey: `${id} ${to}` })),
  );
  for (const result of sent) if (result.status === 'rejected') throw result.reason;
}
