import type { Mode, WebhookDeliveryStatus } from '@posthorn/contract';
import { type JoinedEventRow, type LoggedEvent, toJoinedEvent } from '@posthorn/domain/events';
import {
  buildSizedPage,
  type Db,
  type ListPage,
  type Pagination,
  type SizedRow,
  toPage,
} from '@posthorn/platform/postgres';
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
  const { limit, after, before } = pagination;
  const order = `id ${before === null ? 'desc' : 'asc'}`;
  const query = db('webhook_deliveries')
    .leftJoin('events', (join) =>
      join
        .on('events.stream_id', 'webhook_deliveries.stream_id')
        .andOn('events.sequence', 'webhook_deliveries.sequence'),
    )
    .select('event_id as id', 'webhook_deliveries.stream_id', 'webhook_deliveries.sequence', 'status', 'attempts')
    .select('due_at')
    .select('type', 'recipient', 'detail', 'data', 'created_at')
    .where({ webhook_id: webhookId })
    .orderByRaw(order)
    .limit(limit + 1);
  if (status !== null) query.where({ status });
  if (after !== null) query.where('event_id', '<', after);
  if (before !== null) query.where('event_id', '>', before);
  const rows: DeliveryRow[] = await buildSizedPage(db, query, { limit, order, bytes: 'octet_length(attempts::text)' });
  const page = rows.map((row) => toDelivery(row, mode));
  return toPage(before === null ? page : page.toReversed(), (rows[0]?.found ?? 0) > rows.length, pagination);
}

type DeliveryRow = SizedRow &
  JoinedEventRow & {
    status: WebhookDeliveryStatus;
    attempts: WebhookAttempt[];
    due_at: Date | null;
  };

function toDelivery(row: DeliveryRow, mode: Mode): WebhookDelivery {
  return {
    id: row.id,
    status: row.status,
    attempts: row.attempts,
    dueAt: row.due_at,
    event: toJoinedEvent(row, mode),
  };
}

/** A test event is sent before the events of the log that are waiting. */
export async function insertTestDelivery(
  trx: Knex,
  { webhookId, workspaceId, eventId }: { webhookId: string; workspaceId: string; eventId: string },
): Promise<void> {
  await trx('webhook_deliveries').insert({
    webhook_id: webhookId,
    workspace_id: workspaceId,
    event_id: eventId,
    stream_id: eventId,
    sequence: 1,
    due_at: trx.raw('now()'),
  });
}
