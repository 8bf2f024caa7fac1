import type { DisabledBecause } from '@posthorn/contract';
import { findOwners } from '@posthorn/domain/accounts';
import { recordChange, system } from '@posthorn/domain/audit-log';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { webhookFields, webhookTarget } from './describe-webhook.js';
import type { Webhook } from './webhook.js';
import { moveToFanOutCursor } from './webhook-state-store.js';
import { disableWebhookRow } from './webhook-store.js';

/**
 * Disables a webhook that is gone or has failed for days. The same transaction queues an email to its owners
 * (notify-webhook-owners.ts). Nothing happens if a user has replaced the URL in the meantime.
 */
export async function disableWebhook(
  { db, log, now }: Pick<Context, 'db' | 'log' | 'now'>,
  { id, url }: Pick<Webhook, 'id' | 'url'>,
  because: DisabledBecause,
): Promise<void> {
  const isDisabled = await db.transaction(async (trx) => {
    const webhook = await disableWebhookRow(trx, { id, url }, { because, ownerNotificationId: newId(), now: now() });
    if (!webhook) return false;
    await moveToFanOutCursor(trx, id);
    const { liveId } = await findOwners(trx, webhook.workspaceId);
    await recordChange(trx, system, {
      workspaceId: liveId,
      action: 'webhook.updated',
      target: webhookTarget(webhook),
      before: webhookFields({ ...webhook, status: 'enabled', disabledBecause: null }),
      after: webhookFields(webhook),
    });
    return true;
  });
  if (isDisabled) log.warn({ webhookId: id, because }, 'webhook_disabled');
}
