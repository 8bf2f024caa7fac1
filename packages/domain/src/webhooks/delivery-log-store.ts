import type { Mode, WebhookDeliveryStatus } from '@posthorn/contract';
import { type JoinedEventRow, type LoggedEvent, toJoinedEvent } from '@posthorn/domain/events';
import { type Db, type ListPage, listSizedPage, type Pagination, toColumns } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';
import type { WebhookAttempt } from './webhook-delivery-store.js';

/** A delivery as users see it. */
export type WebhookDelivery = {
  /** The id of the event. */
  readonly id: string;
  readonly status: WebhookDeliveryStatus;
  /** Oldest first. */
  readonly attempts: readonly WebhookAttempt[];
  /** When it will be tried again; null if it is finished. */
  readonly dueAt: Date | null;
  /** null if the event has been deleted in the meantime. */
  readonly event: LoggedEvent | null;
};

/** One page of a webhook's deliveries, newest event first. Pages are also limited in bytes. */
export async function listDeliveries(
  db: Db,
  { webhookId, mode, status }: { webhookId: string; mode: Mode; status: WebhookDeliveryStatus | null },
  pagination: Pagination,
): Promise<ListPage<WebhookDelivery>> {
  const query = db('webhook_deliveries')
    .leftJoin('events', (join) =>
      join
        .on('events.stream_id', 'webhook_deliveries.stream_id')
        .andOn('events.sequence', 'webhook_deliveries.sequence'),
    )
    .select(
      'event_id as id',
      'webhook_deliveries.stream_id as streamId',
      'webhook_deliveries.sequence',
      'status',
      'attempts',
    )
    .select('due_at as dueAt')
    .select('type', 'recipient', 'detail', 'data', 'created_at as createdAt')
    .where({ webhook_id: webhookId });
  if (status !== null) query.where({ status });
  return listSizedPage(db, query, pagination, {
    bytes: 'octet_length(attempts::text)',
    toItem: ({ id, status, attempts, dueAt, ...event }: WebhookDelivery & JoinedEventRow) => ({
      id,
      status,
      attempts,
      dueAt,
      event: toJoinedEvent({ ...event, id }, mode),
    }),
    column: 'event_id',
    cursor: 'id',
  });
}

/** A test event is sent before the events of the log that are waiting. */
export async function insertTestDelivery(
  trx: Knex,
  delivery: { webhookId: string; workspaceId: string; eventId: string },
): Promise<void> {
  const place = { streamId: delivery.eventId, sequence: 1, dueAt: trx.raw('now()') };
  await trx('webhook_deliveries').insert(toColumns({ ...delivery, ...place }));
}
