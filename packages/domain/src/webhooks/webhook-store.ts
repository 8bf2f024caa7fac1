import type { DisabledBecause } from '@posthorn/contract';
import { type ListPage, listColumns, listPageById, type Pagination, toColumns } from '@posthorn/platform/postgres';
import type { SealedSecret } from '@posthorn/platform/secrets';
import type { Knex } from 'knex';
import type { Webhook, WebhookSettings } from './webhook.js';

/** The columns of a webhook, named as its fields. */
const columns = listColumns(
  'webhooks',
  'id workspaceId url description events domainIds tags status disabledBecause createdAt updatedAt',
);

export async function countWebhooks(db: Knex, workspaceId: string): Promise<number> {
  const [row] = await db('webhooks').where({ workspace_id: workspaceId }).count<{ count: number }[]>();
  return row?.count ?? 0;
}

export async function insertWebhook(trx: Knex, webhook: Webhook): Promise<void> {
  const { id, workspaceId, createdAt, updatedAt } = webhook;
  await trx('webhooks').insert(toColumns({ id, workspaceId, ...toSettings(webhook), createdAt, updatedAt }));
}

export async function updateWebhookRow(
  trx: Knex,
  id: string,
  { disabledBecause, ...settings }: WebhookSettings & Pick<Webhook, 'disabledBecause'>,
  now: Date,
): Promise<void> {
  const row = { ...toSettings(settings), disabledBecause, updatedAt: now };
  // Without a reason, the mail to the owners would no longer be true.
  const notification = disabledBecause === null ? { ownerNotificationId: null } : {};
  await trx('webhooks')
    .where({ id })
    .update(toColumns({ ...row, ...notification }));
}

function toSettings({ url, description, events, domainIds, tags, status }: WebhookSettings): WebhookSettings {
  return { url, description, events, domainIds, tags, status };
}

/** One page, newest first. */
export async function listWebhooks(db: Knex, workspaceId: string, pagination: Pagination): Promise<ListPage<Webhook>> {
  const query = db('webhooks').select(columns).where({ workspace_id: workspaceId });
  return listPageById(query, pagination, (webhook: Webhook) => webhook);
}

export async function findWebhook(db: Knex, workspaceId: string, id: string): Promise<Webhook | null> {
  const row = await db('webhooks').select(columns).where({ workspace_id: workspaceId, id }).first();
  return row ?? null;
}

/** Keeps other transactions from changing the webhook. @returns null when the workspace has no such webhook */
export async function lockWebhook(trx: Knex, workspaceId: string, id: string): Promise<Webhook | null> {
  const row = await trx('webhooks').select(columns).where({ workspace_id: workspaceId, id }).forNoKeyUpdate().first();
  return row ?? null;
}

/** Also deletes its secrets and deliveries. */
export async function deleteWebhookRow(trx: Knex, id: string): Promise<void> {
  await trx('webhooks').where({ id }).delete();
}

/**
 * Waiting deliveries stay, and are sent if a user enables the webhook again.
 * @param ownerNotificationId the id of the mail that the owners must get
 * @returns null if it was disabled before
 */
export async function disableWebhookRow(
  trx: Knex,
  { id, url }: Pick<Webhook, 'id' | 'url'>,
  { because, ownerNotificationId, now }: { because: DisabledBecause; ownerNotificationId: string; now: Date },
): Promise<Webhook | null> {
  const [row] = await trx('webhooks')
    .where({ id, url, status: 'enabled' })
    .update(toColumns({ status: 'disabled', disabledBecause: because, ownerNotificationId, updatedAt: now }))
    .returning(columns);
  return row ?? null;
}

type NewWebhookSecret = {
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
  const { bytes: secret, secretKeyId } = sealed;
  await trx('webhook_secrets').insert(toColumns({ id, webhookId, secret, secretKeyId, createdAt }));
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

/** An email to the owners of a disabled webhook that has not been accepted yet. */
type OwnerNotification = {
  readonly id: string;
  readonly webhook: Pick<Webhook, 'id' | 'workspaceId' | 'description'>;
  readonly because: DisabledBecause;
};

export async function listOwnerNotifications(db: Knex): Promise<OwnerNotification[]> {
  const rows = await db('webhooks')
    .select({ notificationId: 'owner_notification_id', because: 'disabled_because' })
    .select('id', { workspaceId: 'workspace_id' }, 'description')
    .whereNotNull('owner_notification_id')
    .orderBy('id');
  return rows.map(({ notificationId, because, ...webhook }) => ({ id: notificationId, because, webhook }));
}

/**
 * Marks the email as accepted. If the webhook was disabled again in the meantime, another email is queued, and it stays.
 */
export async function clearOwnerNotification(db: Knex, { id, webhook }: OwnerNotification): Promise<void> {
  await db('webhooks').where({ id: webhook.id, owner_notification_id: id }).update({ owner_notification_id: null });
}
