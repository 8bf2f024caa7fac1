import { Refusal } from '@posthorn/domain/errors';
import { insertStandaloneEvent } from '@posthorn/domain/events';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { insertTestDelivery } from './delivery-log-store.js';
import { resumeWebhook } from './webhook-state-store.js';
import { findWebhook } from './webhook-store.js';

/**
 * Sends a `webhook.test` event to this webhook alone, whatever events it has chosen.
 * @returns the id of the event; null when the workspace has no such webhook
 * @throws Refusal conflict when the webhook is disabled
 */
export function sendTestEvent(
  ctx: Pick<Context, 'db' | 'now'>,
  workspaceId: string,
  webhookId: string,
): Promise<string | null> {
  return ctx.db.transaction(async (trx) => {
    const webhook = await findWebhook(trx, workspaceId, webhookId);
    if (!webhook) return null;
    if (webhook.status === 'disabled') throw webhookDisabled();
    const id = newId();
    const data = { webhook_id: webhookId };
    await insertStandaloneEvent(trx, {
      id,
      workspaceId,
      type: 'webhook.test',
      detail: null,
      data,
      createdAt: ctx.now(),
    });
    await insertTestDelivery(trx, { webhookId, workspaceId, eventId: id });
    await resumeWebhook(trx, webhookId);
    return id;
  });
}

export function webhookDisabled(): Refusal {
  return new Refusal('conflict', {
    reason: 'The webhook is disabled. Enable it first: PATCH it with {"status": "enabled"}.',
  });
}
