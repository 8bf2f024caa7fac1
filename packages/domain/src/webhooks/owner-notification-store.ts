import type { DisabledBecause } from '@posthorn/contract';
import type { Knex } from 'knex';
import type { Webhook } from './webhook.js';

/** An email to the owners of a disabled webhook that has not been accepted yet. */
export type OwnerNotification = {
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
