import type { Actor } from '../audit-log/actor.js';
import { recordChange } from '../audit-log/record-change.js';
import type { Context } from '../context.js';
import { assertOwnDomains } from './assert-own-domains.js';
import { webhookFields, webhookTarget } from './describe-webhook.js';
import type { Webhook, WebhookSettings, WebhookWorkspace } from './webhook.js';
import { resetWebhookFailures, resumeWebhook } from './webhook-state-store.js';
import { findWebhook, lockWebhook, updateWebhookRow } from './webhook-store.js';

/**
 * Changes the given settings. Deliveries that wait when a webhook is enabled are sent at once.
 * @returns null when the workspace has no such webhook
 * @throws Refusal validation_failed for a domain of another workspace
 */
export function updateWebhook(
  ctx: Pick<Context, 'db' | 'now'>,
  actor: Actor,
  workspace: WebhookWorkspace,
  { id, changes }: { id: string; changes: Partial<WebhookSettings> },
): Promise<Webhook | null> {
  return ctx.db.transaction(async (trx) => {
    const webhook = await lockWebhook(trx, workspace.id, id);
    if (!webhook) return null;
    await assertOwnDomains(trx, workspace.liveId, changes.domainIds ?? null);
    await updateWebhookRow(trx, id, { ...webhook, ...changes }, ctx.now());
    if (webhook.status === 'disabled' && changes.status === 'enabled') {
      await resetWebhookFailures(trx, id);
      await resumeWebhook(trx, id);
    }
    const changed = (await findWebhook(trx, workspace.id, id)) as Webhook;
    await recordChange(trx, actor, {
      workspaceId: workspace.liveId,
      action: 'webhook.updated',
      target: webhookTarget(changed),
      before: webhookFields(webhook),
      after: webhookFields(changed),
    });
    return changed;
  });
}
