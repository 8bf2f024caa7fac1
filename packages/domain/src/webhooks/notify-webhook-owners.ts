import type { AcceptContext } from '../accepting/accept-context.js';
import { findOwners } from '../accounts/membership-store.js';
import { sendSystemMail } from '../accounts/send-system-mail.js';
import { clearOwnersMail, listOwnersMails, type OwnersMail } from './owners-mail-store.js';
import { webhookDisabledMail } from './webhook-disabled-mail.js';

/**
 * Mails the owners of each webhook that the service has disabled. Disabling only notes the mail, in its own transaction,
 * so the mail is sent even if the process dies. Several processes can do this at the same time.
 */
export async function mailWebhookOwners(ctx: AcceptContext): Promise<void> {
  for (const mail of await listOwnersMails(ctx.db)) {
    try {
      await mailOwners(ctx, mail);
      await clearOwnersMail(ctx.db, mail);
    } catch (error) {
      ctx.log.warn({ error, webhookId: mail.webhook.id }, 'webhook_owners_not_mailed');
    }
  }
}

/** @throws the first error, after all owners have been tried */
async function mailOwners(ctx: AcceptContext, { id, webhook, because }: OwnersMail): Promise<void> {
  const { owners } = await findOwners(ctx.db, webhook.workspaceId);
  const mail = webhookDisabledMail(ctx.config, webhook, because);
  const sent = await Promise.allSettled(
    owners.map((to) => sendSystemMail(ctx, { to, ...mail, idempotencyKey: `${id} ${to}` })),
  );
  for (const result of sent) if (result.status === 'rejected') throw result.reason;
}
