import type { AcceptContext } from '../accepting/accept-context.js';
import { layOutMail } from '../accounts/lay-out-mail.js';
import { findOwners } from '../accounts/membership-store.js';
import { quoteName } from '../accounts/quote-in-mail.js';
import { sendSystemMail } from '../accounts/send-system-mail.js';
import { system } from '../audit-log/actor.js';
import { recordChange } from '../audit-log/record-change.js';
import { limits } from '../limits.js';
import { webhookFields, webhookTarget } from './describe-webhook.js';
import type { DisabledBecause, Webhook } from './webhook.js';
import { skipReadEvents } from './webhook-state-store.js';
import { disableWebhookRow } from './webhook-store.js';

/**
 * Disables a webhook that is gone or has failed for days, and mails the owners of its workspace. Nothing happens if a
 * user has replaced the URL in the meantime.
 */
export async function disableWebhook(
  ctx: AcceptContext,
  { id, url }: Pick<Webhook, 'id' | 'url'>,
  because: DisabledBecause,
): Promise<void> {
  const owners = await ctx.db.transaction(async (trx) => {
    const webhook = await disableWebhookRow(trx, { id, url }, { because, now: ctx.now() });
    if (!webhook) return null;
    await skipReadEvents(trx, id);
    const { liveId, owners: found } = await findOwners(trx, webhook.workspaceId);
    await recordChange(trx, system, {
      workspaceId: liveId,
      action: 'webhook.updated',
      target: webhookTarget(webhook),
      before: webhookFields({ ...webhook, status: 'enabled', disabledBecause: null }),
      after: webhookFields(webhook),
    });
    return found;
  });
  if (owners === null) return;
  ctx.log.warn({ webhookId: id, because }, 'webhook_disabled');
  const mail = layOutMail({
    subject: 'A webhook has been disabled',
    before: [
      `Your webhook ${id} at ${quoteName(new URL(url).host)} gets no more events. ${REASONS[because]}`,
      `If you enable the webhook again, it gets the events since then, as far back as ${limits.webhookLogDays.max} days:`,
    ],
    link: { label: 'Open the webhook', url: `${ctx.config.publicUrl}/webhooks/${id}` },
    after: [],
  });
  for (const to of owners) await sendSystemMail(ctx, { to, ...mail });
}

const REASONS: Readonly<Record<DisabledBecause, string>> = {
  gone: 'Its server answered 410, which means that it wants no more events.',
  failing: `Every request to it has failed for ${limits.webhookFailingDays.max} days.`,
};
