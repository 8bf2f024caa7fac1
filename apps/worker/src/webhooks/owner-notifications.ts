import { type AcceptContext, mailWebhookOwners } from '@posthorn/domain';
import { type Loop, startLoop } from '../start-loop.js';

const EVERY_MS = 5_000;

/** Mails the owners of webhooks that were disabled. Any number of workers can share the work. */
export function startOwnersMails(ctx: AcceptContext): Loop {
  return startLoop(async () => {
    try {
      await mailWebhookOwners(ctx);
    } catch (error) {
      ctx.log.warn({ error }, 'webhook_mails_not_read');
    }
    return false;
  }, EVERY_MS);
}
