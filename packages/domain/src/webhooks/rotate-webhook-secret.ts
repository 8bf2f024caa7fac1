import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { sealSecret } from '@posthorn/platform/secrets';
import { newId } from '@posthorn/platform/values';
import { webhookTarget } from './describe-webhook.js';
import type { Webhook, WebhookWorkspace } from './webhook.js';
import { countWebhookSecrets, insertWebhookSecret, retireWebhookSecrets } from './webhook-secret-store.js';
import { lockWebhook, updateWebhookRow } from './webhook-store.js';

/**
 * Gives the webhook a new secret. Until the overlap is over, messages are also signed with the old ones, so that the
 * receiver can change over without losing any. No old secret stays valid for longer than the overlap.
 * @returns null when the workspace has no such webhook
 * @throws Refusal conflict when too many old secrets are still valid
 */
export function rotateWebhookSecret(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  actor: Actor,
  workspace: WebhookWorkspace,
  { id, secret, overlapSeconds }: { id: string; secret: string; overlapSeconds: number },
): Promise<Webhook | null> {
  const now = ctx.now();
  return ctx.db.transaction(async (trx) => {
    const webhook = await lockWebhook(trx, workspace.id, id);
    if (!webhook) return null;
    await retireWebhookSecrets(trx, id, { now, expiresAt: new Date(now.getTime() + overlapSeconds * 1_000) });
    if ((await countWebhookSecrets(trx, id, now)) >= limits.webhookSecrets.max) throw tooManySecrets();
    const secretId = newId();
    const sealed = sealSecret(ctx.config, Buffer.from(secret), secretId);
    await insertWebhookSecret(trx, { id: secretId, webhookId: id, sealed, createdAt: now });
    await updateWebhookRow(trx, id, webhook, now);
    await recordChange(trx, actor, {
      workspaceId: workspace.liveId,
      action: 'webhook.secret_rotated',
      target: webhookTarget(webhook),
      before: null,
      after: { overlap_seconds: overlapSeconds },
    });
    return { ...webhook, updatedAt: now };
  });
}

function tooManySecrets(): Refusal {
  const { max } = limits.webhookSecrets;
  return new Refusal('conflict', {
    reason: `The webhook already has ${max} valid secrets, which is the limit. Wait until an old one has expired, or rotate with "overlap_seconds": 0 to replace all at once.`,
  });
}
