import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { assertOwnDomains } from '@posthorn/domain/domains';
import { Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { lockWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { sealSecret } from '@posthorn/platform/secrets';
import { newId } from '@posthorn/platform/values';
import { webhookFields, webhookTarget } from './describe-webhook.js';
import type { Webhook, WebhookSettings, WebhookWorkspace } from './webhook.js';
import { insertWebhookSecret } from './webhook-secret-store.js';
import { insertWebhookState } from './webhook-state-store.js';
import { countWebhooks, insertWebhook } from './webhook-store.js';

/**
 * Creates a webhook. It gets the events that are committed from now on.
 * @param secret `whsec_...`, stored encrypted
 * @throws Refusal conflict when the workspace is at its limit; validation_failed for a domain of another workspace
 */
export async function createWebhook(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  actor: Actor,
  workspace: WebhookWorkspace,
  { settings, secret }: { settings: WebhookSettings; secret: string },
): Promise<Webhook> {
  const now = ctx.now();
  const webhook: Webhook = {
    id: newId(),
    workspaceId: workspace.id,
    ...settings,
    disabledBecause: null,
    createdAt: now,
    updatedAt: now,
  };
  const secretId = newId();
  const sealed = sealSecret(ctx.config, Buffer.from(secret), secretId);
  await ctx.db.transaction(async (trx) => {
    await lockWorkspace(trx, workspace.liveId);
    if ((await countWebhooks(trx, workspace.id)) >= limits.webhooks.max) throw tooManyWebhooks();
    await assertOwnDomains(trx, workspace.liveId, settings.domainIds);
    await insertWebhook(trx, webhook);
    await insertWebhookState(trx, webhook.id);
    await insertWebhookSecret(trx, { id: secretId, webhookId: webhook.id, sealed, createdAt: now });
    await recordChange(trx, actor, {
      workspaceId: workspace.liveId,
      action: 'webhook.created',
      target: webhookTarget(webhook),
      before: null,
      after: webhookFields(webhook),
    });
  });
  return webhook;
}

function tooManyWebhooks(): Refusal {
  const { max } = limits.webhooks;
  return new Refusal('conflict', {
    reason: `The workspace has reached the limit of ${max} webhooks. Delete one that you no longer use.`,
  });
}
