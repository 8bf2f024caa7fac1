import type { SealedSecret } from '@posthorn/platform/secrets';
import type { Knex } from 'knex';

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

/** Lets all secrets expire at the given time, unless they expire earlier, and deletes those that have expired. */
export async function retireWebhookSecrets(
  trx: Knex,
  webhookId: string,
  { now, expiresAt }: { now: Date; expiresAt: Date },
): Promise<void> {
  const earlier = trx.raw('least(expires_at, ?::timestamptz)', [expiresAt]);
  await trx('webhook_secrets').where({ webhook_id: webhookId }).update({ expires_at: earlier });
  await trx('webhook_secrets').where({ webhook_id: webhookId }).where('expires_at', '<=', now).delete();
}

/** How many secrets messages are signed with. */
export async function countWebhookSecrets(trx: Knex, webhookId: string, now: Date): Promise<number> {
  const [row] = await trx('webhook_secrets')
    .where({ webhook_id: webhookId })
    .andWhere((query) => query.whereNull('expires_at').orWhere('expires_at', '>', now))
    .count<{ count: number }[]>();
  return row?.count ?? 0;
}
