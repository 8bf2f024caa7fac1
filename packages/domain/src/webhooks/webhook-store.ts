import type { DisabledBecause } from '@posthorn/contract';
import { type ListPage, type Pagination, pageById } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';
import type { Webhook, WebhookSettings } from './webhook.js';

const columns = [
  ...['id', 'workspace_id', 'url', 'description', 'events', 'domain_ids', 'tags', 'status', 'disabled_because'],
  ...['created_at', 'updated_at'],
];

export async function countWebhooks(db: Knex, workspaceId: string): Promise<number> {
  const [row] = await db('webhooks').where({ workspace_id: workspaceId }).count<{ count: number }[]>();
  return row?.count ?? 0;
}

export async function insertWebhook(trx: Knex, webhook: Webhook): Promise<void> {
  await trx('webhooks').insert({
    id: webhook.id,
    workspace_id: webhook.workspaceId,
    ...toColumns(webhook),
    created_at: webhook.createdAt,
    updated_at: webhook.updatedAt,
  });
}

export async function updateWebhookRow(
  trx: Knex,
  id: string,
  { disabledBecause, ...settings }: WebhookSettings & Pick<Webhook, 'disabledBecause'>,
  now: Date,
): Promise<void> {
  const row = { ...toColumns(settings), disabled_because: disabledBecause, updated_at: now };
  // Without a reason, the mail to the owners would no longer be true.
  const notification = disabledBecause === null ? { owner_notification_id: null } : {};
  await trx('webhooks')
    .where({ id })
    .update({ ...row, ...notification });
}

function toColumns({ url, description, events, domainIds, tags, status }: WebhookSettings) {
  return { url, description, events, domain_ids: domainIds, tags, status };
}

/** One page, newest first. */
export async function listWebhooks(db: Knex, workspaceId: string, pagination: Pagination): Promise<ListPage<Webhook>> {
  const query = db('webhooks').select(columns).where({ workspace_id: workspaceId });
  return pageById(query, pagination, toWebhook);
}

export async function findWebhook(db: Knex, workspaceId: string, id: string): Promise<Webhook | null> {
  const row = await db('webhooks').select(columns).where({ workspace_id: workspaceId, id }).first();
  return row ? toWebhook(row) : null;
}

/** Keeps other transactions from changing the webhook. @returns null when the workspace has no such webhook */
export async function lockWebhook(trx: Knex, workspaceId: string, id: string): Promise<Webhook | null> {
  const row = await trx('webhooks').select(columns).where({ workspace_id: workspaceId, id }).forNoKeyUpdate().first();
  return row ? toWebhook(row) : null;
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
    .update({
      status: 'disabled',
      disabled_because: because,
      owner_notification_id: ownerNotificationId,
      updated_at: now,
    })
    .returning(columns);
  return row ? toWebhook(row) : null;
}

type WebhookRow = Pick<Webhook, 'id' | 'url' | 'description' | 'events' | 'tags' | 'status'> & {
  workspace_id: string;
  domain_ids: string[] | null;
  disabled_because: DisabledBecause | null;
  created_at: Date;
  updated_at: Date;
};

function toWebhook({
  workspace_id,
  domain_ids,
  disabled_because,
  created_at,
  updated_at,
  ...row
}: WebhookRow): Webhook {
  return {
    ...row,
    workspaceId: workspace_id,
    domainIds: domain_ids,
    disabledBecause: disabled_because,
    createdAt: created_at,
    updatedAt: updated_at,
  };
}
