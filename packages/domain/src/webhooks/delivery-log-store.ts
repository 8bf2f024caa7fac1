import type { Knex } from 'knex';
import type { Db } from '../database/connect.js';
import { inPipeline, type Statement } from '../database/pipeline.js';
import { type SizedRow, sizedPage } from '../database/sized-page.js';
import type { LoggedEvent } from '../events/event.js';
import { type JoinedEventRow, toJoinedEvent } from '../events/event-row.js';
import { type ListPage, type Pagination, toPage } from '../list-page.js';
import type { Mode } from '../workspaces/test-workspace.js';
import { WANTS_EVENT } from './wants-event.js';
import type { DeliveryStatus, WebhookAttempt } from './webhook-delivery-store.js';

/** A delivery as users see it. */
export type WebhookDelivery = {
  /** The id of the event. */
  readonly id: string;
  readonly status: DeliveryStatus;
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
  { webhookId, mode, status }: { webhookId: string; mode: Mode; status: DeliveryStatus | null },
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
  const rows: DeliveryRow[] = await sizedPage(db, query, { limit, order, bytes: 'octet_length(attempts::text)' });
  const page = rows.map((row) => toDelivery(row, mode));
  return toPage(before === null ? page : page.toReversed(), (rows[0]?.found ?? 0) > rows.length, pagination);
}

type DeliveryRow = SizedRow &
  JoinedEventRow & {
    status: DeliveryStatus;
    attempts: Array<Omit<WebhookAttempt, 'at'> & { at: string }>;
    due_at: Date | null;
  };

function toDelivery(row: DeliveryRow, mode: Mode): WebhookDelivery {
  return {
    id: row.id,
    status: row.status,
    attempts: row.attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at) })),
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

/** @returns whether the webhook has a delivery of this event */
export async function replayDelivery(db: Knex, webhookId: string, eventId: string): Promise<boolean> {
  const changed = await db('webhook_deliveries')
    .where({ webhook_id: webhookId, event_id: eventId })
    .update({ status: 'pending', due_at: db.raw('now()'), retries: 0 });
  return changed > 0;
}

/**
 * Makes deliveries due that have failed, or that have been tried and wait to be tried again.
 * @param from only events with this id or a higher one
 * @returns how many, up to `limit`
 */
export async function replayFailedDeliveries(
  db: Db,
  webhookId: string,
  { from, limit }: { from: string; limit: number },
): Promise<number> {
  const [row] = await inPipeline(db, (send) => send<{ replayed: number }>(REPLAY_FAILED, [webhookId, limit, from]));
  return row?.replayed ?? 0;
}

const REPLAY_FAILED: Statement = {
  name: 'replay_failed_deliveries',
  text: `
  with failed as (
    (
      select event_id from webhook_deliveries where webhook_id = $1::uuid and status = 'failed' and event_id >= $3::uuid
      order by event_id limit $2::int
    )
    union all
    (
      select event_id from webhook_deliveries
      where webhook_id = $1 and due_at > now() and retries > 0 and event_id >= $3 order by due_at limit $2
    )
    limit $2
  ),
  replayed as (
    update webhook_deliveries set status = 'pending', due_at = now(), retries = 0
    where webhook_id = $1 and event_id >= $3 and event_id = any(array(select event_id from failed))
    returning event_id
  )
  select count(*)::int as replayed from replayed`,
};

/**
 * Makes deliveries of all events of a period that the webhook wants, whether or not it had them before.
 * @param firstPosition no event of the period has a lower position
 * @param endPosition all events of the period have lower positions; null if the period is not over
 * @returns how many events were looked at, up to `limit`
 */
export async function replayRange(
  db: Db,
  webhookId: string,
  {
    from,
    to,
    firstPosition,
    endPosition,
    limit,
  }: { from: Date; to: Date; firstPosition: number; endPosition: number | null; limit: number },
): Promise<{ found: number; replayed: number }> {
  const [row] = await inPipeline(db, (send) =>
    send<{ found: number; replayed: number }>(REPLAY_RANGE, [webhookId, from, to, limit, firstPosition, endPosition]),
  );
  return row ?? { found: 0, replayed: 0 };
}

const REPLAY_RANGE: Statement = {
  name: 'replay_range',
  text: `
  with matching as materialized (
    select event.id, event.workspace_id, stream_id, sequence
    from webhooks as webhook join events as event on event.workspace_id = webhook.workspace_id
    where webhook.id = $1::uuid and event.position >= $5::bigint and ($6::bigint is null or event.position < $6)
      and event.created_at >= $2::timestamptz and event.created_at < $3::timestamptz and ${WANTS_EVENT}
    limit $4::int + 1
  ),
  replayed as (
    insert into webhook_deliveries (webhook_id, event_id, workspace_id, stream_id, sequence, due_at)
    select $1, id, workspace_id, stream_id, sequence, now() from matching
    where (select count(*) from matching) <= $4
    on conflict (webhook_id, event_id) do update set status = 'pending', due_at = now(), retries = 0
    returning webhook_id
  )
  select (select count(*)::int from matching) as found, (select count(*)::int from replayed) as replayed`,
};
