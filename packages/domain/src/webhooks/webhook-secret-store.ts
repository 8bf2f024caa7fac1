import type { Knex } from 'knex';
import type { SealedSecret } from '../secrets/sealed-secret.js';

export type NewWebhookSecret = {
  readonly id: string;
  readonly webhookId: string;
  readonly sealed: SealedSecret;
  readonly createdAt: Date;
};

/** Makes it the current secret. There must not be another current one. */
export async function insertWebhookSecret(
  trx: Knex,
  { id, webhookId, sealed, createdAt }: NewWebhookSecret,
): Promise<void> {
  await trx('webhook_secrets').insert({
    id,
    webhook_id: webhookId,
    secret: sealed.bytes,
    secret_key_id: sealed.secretKeyId,
    created_at: createdAt,
  });
}

/** Deletes secrets that have expired, and lets the current one expire. */
export async function retireWebhookSecret(
  trx: Knex,
  webhookId: string,
  { now, expiresAt }: { now: Date; expiresAt: Date },
): Promise<void> {
  await trx('webhook_secrets').where({ webhook_id: webhookId }).where('expires_at', '<=', now).delete();
  await trx('webhook_secrets').where({ webhook_id: webhookId, expires_at: null }).update({ expires_at: expiresAt });
}

/** How many secrets messages are signed with. */
export async function countWebhookSecrets(trx: Knex, webhookId: string, now: Date): Promise<number> {
  const [row] = await trx('webhook_secrets')
    .where({ webhook_id: webhookId })
    .andWhere((query) => query.whereNull('expires_at').orWhere('expires_at', '>', now))
    .count<{ count: number }[]>();
  return row?.count ?? 0;
}
