import type { DisabledBecause } from '@posthorn/contract';
import type { AcceptContext } from '@posthorn/domain/accepting';
import { layOutMail, notifyOwners, quoteName } from '@posthorn/domain/accounts';
import { limits } from '@posthorn/domain/limits';
import type { Config } from '@posthorn/platform/config';
import type { Webhook } from './webhook.js';
import { clearOwnerNotification, listOwnerNotifications } from './webhook-store.js';

/**
 * Emails the owners of each webhook that the service has disabled. Disabling only queues the email, in its own
 * transaction, so it is sent even if the process dies. Several processes can do this at the same time.
 */
export async function notifyWebhookOwners(ctx: AcceptContext): Promise<void> {
  for (const notification of await listOwnerNotifications(ctx.db)) {
    try {
      const { id, webhook, because } = notification;
      await notifyOwners(ctx, {
        noticeId: id,
        kind: 'webhook_disabled',
        workspaceId: webhook.workspaceId,
        objectId: webhook.id,
        mail: buildWebhookDisabledMail(ctx.config, webhook, because),
      });
      await clearOwnerNotification(ctx.db, notification);
    } catch (error) {
      ctx.log.warn({ error, webhookId: notification.webhook.id }, 'webhook_owners_not_notified');
    }
  }
}

/** What the owners get when the service has disabled a webhook. */
function buildWebhookDisabledMail(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  { id, description }: Pick<Webhook, 'id' | 'description'>,
  because: DisabledBecause,
) {
  return layOutMail({
    subject: 'A webhook has been disabled',
    before: [
      `Your webhook ${description === '' ? id : quoteName(description)} gets no more events. ${REASONS[because]}`,
      `If you enable the webhook again, we send the events that it missed in the last ${limits.webhookEventDays.max} days:`,
    ],
    link: { label: 'Open the webhook', url: `${publicUrl}/webhooks/${id}` },
    after: [],
  });
}

const REASONS: Readonly<Record<DisabledBecause, string>> = {
  gone: 'Its server returned 410 Gone.',
  failing: `Every request to it has failed for ${limits.webhookFailingDays.max} days.`,
};
