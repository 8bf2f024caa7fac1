import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import type { Context } from '@posthorn/platform';
import { webhookFields, webhookTarget } from './describe-webhook.js';
import type { WebhookWorkspace } from './webhook.js';
import { deleteWebhookRow, lockWebhook } from './webhook-store.js';

/**
 * Deletes a webhook with its secrets and deliveries.
 * @returns false when the workspace has no such webhook
 */
export function deleteWebhook(
  { db }: Pick<Context, 'db'>,
  actor: Actor,
  workspace: WebhookWorkspace,
  id: string,
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const webhook = await lockWebhook(trx, workspace.id, id);
    if (!webhook) return false;
    await deleteWebhookRow(trx, id);
    await recordChange(trx, actor, {
      workspaceId: workspace.liveId,
      action: 'webhook.deleted',
      target: webhookTarget(webhook),
      before: webhookFields(webhook),
      after: null,
    });
    return true;
  });
}
