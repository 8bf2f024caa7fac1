import type { EventType, Mode, WebhookDeliveryStatus } from '@posthorn/contract';
import { type EventCursor, type JoinedEventRow, type LoggedEvent, toJoinedEvent } from '@posthorn/domain/events';
import { limits } from '@posthorn/domain/limits';
import { type Db, inPipeline, type Statement } from '@posthorn/platform/postgres';
import type { Traceable } from '@posthorn/platform/traces';
import { NIL } from 'uuid';
import type { LeasedWebhook } from './webhook-lease-store.js';

/**
 * SQL: whether `webhook` wants `event`. An event belongs to a domain if it is about the domain, or about an email that
 * was sent from it. Only emails have tags.
 */
export const WANTS_EVENT = `
  event.type = any(webhook.events)
  and (
    (webhook.domain_ids is null and webhook.tags is null)
    or (webhook.tags is null and (event.data ->> 'domain_id')::uuid = any(webhook.domain_ids))
    or exists (
      select from emails
      where emails.workspace_id = webhook.workspace_id and emails.id = event.stream_id
        and (webhook.domain_ids is null or emails.domain_id = any(webhook.domain_ids))
        and (webhook.tags is null or emails.tags && webhook.tags)
    )
  )`;

/** Events that a webhook wants, in the order of the log. */
type WaitingPage = {
  readonly events: ReadonlyArray<LoggedEvent & Traceable>;
  /** The place behind them, and behind the events between them that the webhook does not want. */
  readonly end: EventCursor;
  /** Whether there may be more. */
  readonly hasMore: boolean;
};

/**
 * Reads the next events that a webhook wants and that have no delivery yet. If a worker died, some later events already
 * have a delivery. They are skipped.
 * @param scan how many events of the log to look at
 * @param withTraces whether to read under which traceparents the emails are traced
 */
export async function readWaitingEvents(
  db: Db,
  { id, workspaceId, mode }: Pick<LeasedWebhook, 'id' | 'workspaceId' | 'mode'>,
  { after, scan, withTraces = false }: { after: EventCursor; scan: number; withTraces?: boolean },
): Promise<WaitingPage> {
  const values = [workspaceId, id, after.position, after.eventId, scan, withTraces];
  const [row] = await inPipeline(db, (send) => send<WaitingRow>(READ_WAITING, values));
  if (!row) return { events: [], end: after, hasMore: false };
  return {
    events: row.found.map((fields) => toEvent(fields, mode)),
    end: { position: row.position, eventId: row.id },
    hasMore: row.scanned === scan,
  };
}

/**
 * Returns one row, or none if there are no events, wanted or not. The events are one JSON array, because reading each
 * field as a column takes a process several times as long.
 */
const READ_WAITING: Statement = {
  name: 'read_waiting_events',
  text: `
  with webhook as materialized (
    select workspace_id, events, domain_ids, tags from webhooks where id = $2::uuid
  ),
  scanned as materialized (
    select id, stream_id, sequence, position, type, recipient, detail, data, created_at from events
    where workspace_id = $1::uuid and position >= $3::bigint and (position, id) > ($3::bigint, $4::uuid)
      and position < (select event_horizon())
    order by position, id limit $5::int
  ),
  found as (
    select event.* from scanned as event, webhook
    where ${WANTS_EVENT}
      and not exists (
        select from webhook_deliveries where webhook_id = $2 and webhook_deliveries.event_id = event.id offset 0
      )
  )
  select position::text as position, id, (select count(*)::int from scanned) as scanned, coalesce((
    select json_agg(
      json_build_array(
        id, stream_id, sequence, type, recipient, detail, data, created_at,
        case when $6::boolean then (select traceparent from email_contents where email_id = found.stream_id) end
      ) order by position, id
    )
    from found
  ), '[]') as found
  from scanned order by scanned.position desc, id desc limit 1`,
};

type EventFields = [
  id: string,
  streamId: string,
  sequence: number,
  type: EventType,
  recipient: string | null,
  detail: string | null,
  data: Record<string, unknown> | null,
  createdAt: string,
  traceparent: string | null,
];

type WaitingRow = { position: string; id: string; scanned: number; found: EventFields[] };

function toEvent(
  [id, streamId, sequence, type, recipient, detail, data, createdAt, traceparent]: EventFields,
  mode: Mode,
): LoggedEvent & Traceable {
  return { id, streamId, sequence, type, recipient, detail, data, mode, createdAt: new Date(createdAt), traceparent };
}

/** An event that a webhook gets now. */
export type DueDelivery = Traceable & {
  readonly eventId: string;
  readonly streamId: string;
  readonly sequence: number;
  /** The number of attempts so far. */
  readonly attempt: number;
  /** How many pauses of the retry schedule are used up. */
  readonly retries: number;
  /** null if the event has been deleted in the meantime. */
  readonly event: LoggedEvent | null;
};

/** Stored deliveries are read in the order of when they are due. This is the place after one of them. */
export type DuePlace = { readonly dueAt: string; readonly eventId: string };

/** @property withTraces whether to read under which traceparents the emails are traced */
type DuePage = {
  readonly webhookId: string;
  readonly mode: Mode;
  readonly after: DuePlace | null;
  readonly limit: number;
  readonly withTraces: boolean;
};

export async function readDueDeliveries(
  db: Db,
  { webhookId, mode, after, limit, withTraces }: DuePage,
): Promise<Array<DueDelivery & DuePlace>> {
  const { dueAt, eventId } = after ?? { dueAt: '-infinity', eventId: NIL };
  const values = [webhookId, dueAt, eventId, limit, withTraces];
  const rows = await inPipeline(db, (send) => send<DueRow>(READ_DUE, values));
  return rows.map((row) => toDueDelivery(row, mode));
}

/** Times as text keep the microseconds that a Date would lose. */
const READ_DUE: Statement = {
  name: 'read_due_webhook_deliveries',
  text: `
  select due.event_id as id, due.due_at::text as "dueAt", attempt, retries, due.stream_id as "streamId", due.sequence,
    type, recipient, detail, data, created_at as "createdAt",
    case when $5::boolean then (select traceparent from email_contents where email_id = due.stream_id) end as traceparent
  from (
    select event_id, due_at, attempt, retries, stream_id, sequence from webhook_deliveries
    where webhook_id = $1::uuid and due_at <= now() and (due_at, event_id) > ($2::timestamptz, $3::uuid)
    order by due_at, event_id limit $4::int
  ) as due
  left join events on events.stream_id = due.stream_id and events.sequence = due.sequence
  order by due.due_at, due.event_id`,
};

type DueRow = JoinedEventRow & { dueAt: string; attempt: number; retries: number; traceparent: string | null };

function toDueDelivery(row: DueRow, mode: Mode): DueDelivery & DuePlace {
  const { id, streamId, sequence, dueAt, attempt, retries, traceparent } = row;
  return { eventId: id, streamId, sequence, dueAt, attempt, retries, traceparent, event: toJoinedEvent(row, mode) };
}

/** One request to the receiver, as stored and shown. */
export type WebhookAttempt = {
  /** When the request was made, in ISO 8601. */
  readonly at: string;
  readonly ms: number;
  /** The HTTP status of the response; null if there was none. */
  readonly status: number | null;
  /** The beginning of the response body. */
  readonly body: string;
  /** Whether the response body was longer. */
  readonly truncated: boolean;
  /** Why the attempt failed; null if it succeeded. */
  readonly error: string | null;
};

/** What an attempt means for a delivery. */
export type DeliveryResult = Omit<DueDelivery, 'event' | 'retries' | 'traceparent'> & {
  readonly status: WebhookDeliveryStatus;
  /** null unless the status is pending. */
  readonly retryInSeconds: number | null;
  /** null if no request was made. */
  readonly made: WebhookAttempt | null;
};

export type RecordedResults = {
  readonly results: readonly DeliveryResult[];
  /** Every event up to here that the webhook wants has a delivery after this. */
  readonly place: EventCursor;
  /** How many times results were recorded before. */
  readonly revision: number;
};

/**
 * Writes results, and moves the webhook forward in the log. Postgres does not wait for the disk. If it crashes and loses
 * results, its revision is lower than that of the worker, whose lease then ends.
 * @throws Error if the lease is over, if the webhook was deleted, or if earlier results were lost. Nothing is written,
 *   so the next worker sends again what has no delivery
 */
export async function recordDeliveries(
  db: Db,
  { id, workspaceId, lease }: Pick<LeasedWebhook, 'id' | 'workspaceId' | 'lease'>,
  { results, place, revision }: RecordedResults,
): Promise<void> {
  const values = [id, workspaceId, lease, revision, place.position, place.eventId, ...toColumnArrays(results)];
  const [row] = await inPipeline(db, (send) => send<{ is_held: boolean }>(RECORD, values));
  if (!row?.is_held) throw new Error('The lease is over, or earlier results were lost');
}

/**
 * An array for each column, because Postgres reads hundreds of rows several times as fast from arrays as from JSON. The
 * attempts are stored as JSON. They are sent as one document, because in an array each text would have to be escaped.
 */
function toColumnArrays(results: readonly DeliveryResult[]): unknown[] {
  return [
    results.map(({ eventId }) => eventId),
    results.map(({ streamId }) => streamId),
    results.map(({ sequence }) => sequence),
    results.map(({ attempt }) => attempt),
    results.map(({ status }) => status),
    results.map(({ retryInSeconds }) => retryInSeconds),
    JSON.stringify(results.map(({ made }) => (made === null ? [] : [made]))),
  ];
}

/**
 * An old attempt never overwrites a newer one. Deleting a webhook waits for the lock of `held`, so no delivery can be
 * written after its webhook is gone.
 */
const RECORD: Statement = {
  name: 'record_webhook_deliveries',
  text: `
  with held as (
    update webhook_states set revision = revision + 1, position = $5::bigint, event_id = $6::uuid
    where webhook_id = $1::uuid and lease = $3::int and revision = $4::int
    returning set_config('synchronous_commit', 'off', true)
  ),
  recorded as (
    insert into webhook_deliveries (
      webhook_id, event_id, workspace_id, stream_id, sequence, status, due_at, attempt, retries, attempts
    )
    select $1, ended.event_id, $2::uuid, stream_id, sequence, status, now() + retry_in * interval '1 second', attempt + 1,
      (status = 'pending')::int, made
    from held, rows from (
      unnest($7::uuid[], $8::uuid[], $9::int[], $10::int[], $11::text[], $12::float[]), jsonb_array_elements($13::jsonb)
    ) as ended (event_id, stream_id, sequence, attempt, status, retry_in, made)
    on conflict (webhook_id, event_id) do update
    set status = excluded.status, due_at = excluded.due_at, attempt = excluded.attempt,
      retries = webhook_deliveries.retries + excluded.retries,
      attempts = case
        when jsonb_array_length(webhook_deliveries.attempts) < ${limits.webhookAttempts.max} then webhook_deliveries.attempts
        else webhook_deliveries.attempts - 0
      end || excluded.attempts
    where webhook_deliveries.attempt = excluded.attempt - 1 and webhook_deliveries.status = 'pending'
  )
  select exists (select from held) as is_held`,
};
