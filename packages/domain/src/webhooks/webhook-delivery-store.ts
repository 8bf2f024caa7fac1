import type { Db } from '../database/connect.js';
import { inPipeline, type Statement } from '../database/pipeline.js';
import type { LoggedEvent } from '../events/event.js';
import type { EventType } from '../events/event-types.js';
import type { Mode } from '../workspaces/test-workspace.js';

/** A delivery that is due. */
export type DueDelivery = {
  readonly eventId: string;
  readonly dueAt: string;
  /** The number of attempts so far. */
  readonly attempt: number;
  /** How many pauses of the retry schedule are used up. */
  readonly retries: number;
  /** null if the event has been deleted in the meantime. */
  readonly event: LoggedEvent | null;
};

/** Deliveries are read in the order of when they are due. This is the place after one of them. */
export type DuePlace = Pick<DueDelivery, 'dueAt' | 'eventId'>;

export async function readDueDeliveries(
  db: Db,
  { webhookId, mode, after, limit }: { webhookId: string; mode: Mode; after: DuePlace | null; limit: number },
): Promise<DueDelivery[]> {
  const { dueAt, eventId } = after ?? { dueAt: '-infinity', eventId: '00000000-0000-0000-0000-000000000000' };
  const rows = await inPipeline(db, (send) => send<DueRow>(READ_DUE, [webhookId, dueAt, eventId, limit]));
  return rows.map((row) => toDueDelivery(row, mode));
}

/** Times as text keep the microseconds that a Date would lose. */
const READ_DUE: Statement = {
  name: 'read_due_webhook_deliveries',
  text: `
  select due.event_id, due.due_at::text as due_at, attempt, retries, due.stream_id, due.sequence,
    type, recipient, detail, data, created_at
  from (
    select event_id, due_at, attempt, retries, stream_id, sequence from webhook_deliveries
    where webhook_id = $1::uuid and due_at <= now() and (due_at, event_id) > ($2::timestamptz, $3::uuid)
    order by due_at, event_id limit $4::int
  ) as due
  left join events on events.stream_id = due.stream_id and events.sequence = due.sequence
  order by due.due_at, due.event_id`,
};

type DueRow = {
  event_id: string;
  due_at: string;
  attempt: number;
  retries: number;
  stream_id: string;
  sequence: number;
  type: EventType | null;
  recipient: string | null;
  detail: string | null;
  data: Record<string, unknown> | null;
  created_at: Date;
};

function toDueDelivery(row: DueRow, mode: Mode): DueDelivery {
  const { type } = row;
  const event = type && {
    id: row.event_id,
    streamId: row.stream_id,
    sequence: row.sequence,
    type,
    recipient: row.recipient,
    detail: row.detail,
    data: row.data,
    mode,
    createdAt: row.created_at,
  };
  return { eventId: row.event_id, dueAt: row.due_at, attempt: row.attempt, retries: row.retries, event };
}

/** One request to the receiver, as stored and shown. */
export type WebhookAttempt = {
  readonly at: Date;
  readonly ms: number;
  /** The HTTP status of the response; null if there was none. */
  readonly status: number | null;
  /** The beginning of the response body. */
  readonly body: string;
  /** Why the attempt failed; null if it succeeded. */
  readonly error: string | null;
};

/** What an attempt means for a delivery. */
export type DeliveryResult = {
  readonly eventId: string;
  /** The number of attempts before this one. */
  readonly attempt: number;
  readonly status: 'pending' | 'delivered' | 'failed';
  /** null unless the status is pending. */
  readonly retryInSeconds: number | null;
  /** null if no request was made. */
  readonly made: WebhookAttempt | null;
};

/** A result is not written if another worker has written one for the same attempt. */
export async function recordDeliveries(db: Db, webhookId: string, results: readonly DeliveryResult[]): Promise<void> {
  await inPipeline(db, (send) => send(RECORD, [webhookId, JSON.stringify(results.map(toRow))]));
}

function toRow({ eventId, attempt, status, retryInSeconds, made }: DeliveryResult): object {
  return { event_id: eventId, attempt, status, retry_in: retryInSeconds, made: made && [made] };
}

const RECORD: Statement = {
  name: 'record_webhook_deliveries',
  text: `
  with ended as materialized (
    select * from json_to_recordset($2::json) as ended (
      event_id uuid, attempt int, status text, retry_in float, made jsonb
    )
  )
  update webhook_deliveries
  set status = ended.status, due_at = now() + retry_in * interval '1 second', attempt = ended.attempt + 1,
    retries = retries + (ended.status = 'pending')::int, attempts = attempts || coalesce(made, '[]')
  from ended
  where webhook_id = $1::uuid and webhook_deliveries.event_id = any(array(select event_id from ended))
    and webhook_deliveries.event_id = ended.event_id and webhook_deliveries.attempt = ended.attempt
    and webhook_deliveries.status = 'pending'`,
};
