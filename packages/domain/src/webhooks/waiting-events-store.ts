import type { EventType, Mode } from '@posthorn/contract';
import type { EventCursor, LoggedEvent } from '@posthorn/domain/events';
import { type Db, inPipeline, type Statement } from '@posthorn/platform/postgres';
import type { Traceable } from '@posthorn/platform/traces';
import { WANTS_EVENT } from './wants-event.js';
import type { LeasedWebhook } from './webhook.js';

/** Events that a webhook wants, in the order of the log. */
export type WaitingPage = {
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
