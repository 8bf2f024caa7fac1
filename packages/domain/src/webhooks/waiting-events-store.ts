import type { Db } from '../database/connect.js';
import { inPipeline, type Statement } from '../database/pipeline.js';
import type { LoggedEvent } from '../events/event.js';
import type { EventCursor } from '../events/event-cursor.js';
import { type EventRow, toLoggedEvent } from '../events/event-row.js';
import { WANTS_EVENT } from './event-filter.js';
import type { LeasedWebhook } from './webhook.js';

/** Events that a webhook wants, in the order of the log. */
export type WaitingPage = {
  readonly events: readonly LoggedEvent[];
  /** The place behind them, and behind the events between them that the webhook does not want. */
  readonly end: EventCursor;
  /** Whether there may be more. */
  readonly hasMore: boolean;
};

/**
 * Reads the next events that a webhook wants and that have no delivery yet. If a worker vanished, some events behind the
 * webhook's place have one.
 * @param scan how many events of the log to look at
 */
export async function readWaitingEvents(
  db: Db,
  { id, workspaceId, mode }: Pick<LeasedWebhook, 'id' | 'workspaceId' | 'mode'>,
  { after, scan }: { after: EventCursor; scan: number },
): Promise<WaitingPage> {
  const values = [workspaceId, id, after.position, after.eventId, scan];
  const rows = await inPipeline(db, (send) => send<WaitingRow>(READ_WAITING, values));
  const [first] = rows;
  if (!first) return { events: [], end: after, hasMore: false };
  return {
    events: rows.flatMap((row) => (row.id === null ? [] : [toLoggedEvent(row, mode)])),
    end: { position: first.end_position, eventId: first.end_id },
    hasMore: first.scanned === scan,
  };
}

/** Returns at least one row if there are any events, wanted or not. */
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
  ending as (
    select position::text as end_position, id as end_id, (select count(*)::int from scanned) as scanned
    from scanned order by position desc, id desc limit 1
  ),
  found as (
    select event.* from scanned as event, webhook
    where ${WANTS_EVENT}
      and not exists (
        select from webhook_deliveries where webhook_id = $2 and webhook_deliveries.event_id = event.id offset 0
      )
  )
  select ending.*, id, stream_id, sequence, type, recipient, detail, data, created_at
  from ending left join found on true order by position, id`,
};

type WaitingRow = { end_position: string; end_id: string; scanned: number } & (EventRow | { id: null });
