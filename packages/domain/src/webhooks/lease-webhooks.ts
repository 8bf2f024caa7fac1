import type { Context } from '@posthorn/platform';
import { openSecret } from '@posthorn/platform/secrets';
import type { LeasedWebhook } from './webhook.js';
import { type LeasedRow, type LeaseSlots, leaseDueWebhooks } from './webhook-state-store.js';

/** Leases due webhooks and decrypts their secrets. A webhook whose secret cannot be decrypted is logged and left out. */
export async function leaseWebhooks(
  { config, db, log }: Pick<Context, 'config' | 'db' | 'log'>,
  slots: LeaseSlots,
): Promise<LeasedWebhook[]> {
  const rows = await leaseDueWebhooks(db, slots, config.leaseSeconds);
  return rows.flatMap((row) => {
    try {
      return [{ ...row, secrets: row.secrets.map((secret) => openWebhookSecret(config, secret)) }];
    } catch (error) {
      log.error({ error, webhookId: row.id }, 'webhook_secret_not_read');
      return [];
    }
  });
}

function openWebhookSecret(config: Context['config'], { id, sealed }: LeasedRow['secrets'][number]): string {
  return openSecret(config, sealed, id).toString();
}
