import type { AcceptContext } from '@posthorn/domain/accepting';
import { notifyWebhookOwners } from '@posthorn/domain/webhooks';
import { type Loop, startLoop } from '@posthorn/platform/processes';

const EVERY_MS = 5_000;

/** Emails the owners of webhooks that were disabled. Any number of workers can share the work. */
export function startOwnerNotifications(ctx: AcceptContext): Loop {
  return startLoop(async () => {
    try {
      await notifyWebhookOwners(ctx);
    } catch (error) {
      ctx.log.warn({ error }, 'owner_notifications_not_read');
    }
    return false;
  }, EVERY_MS);
}
