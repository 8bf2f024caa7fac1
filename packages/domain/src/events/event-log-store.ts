import type { EventType, Mode } from '@posthorn/contract';
import { limits } from '@posthorn/domain/limits';
import { getMode, type Workspace } from '@posthorn/domain/workspaces';
import { type Db, inPipeline, type Statement, toColumns } from '@posthorn/platform/postgres';
import { isId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import { MAX, NIL } from 'uuid';
import type { LoggedEvent } from './event.js';

/** A place in the event log: after the event with this position and id. */
export type EventCursor = { readonly position: string; readonly eventId: string };

/** The highest id, so the cursor is after all events at that position. */
export const MAX_EVENT_ID = MAX;

const START_OF_LOG: EventCursor = { position: '0', eventId: NIL };

export function formatCursor({ position, eventId }: EventCursor): string {
  return `${position}_${eventId}`;
}

/** @returns null if the text is not a cursor */
export function parseCursor(text: string): EventCursor | null {
  const [position = '', eventId = '', ...rest] = text.split('_');
  // A Postgres bigint has up to 19 digits.
  const isCursor = /^(0|[1-9]\d{0,17})$/.test(position) && isId(eventId) && rest.length === 0;
  return isCursor ? { position, eventId } : null;
}

/** Whose log to read. */
type LogOwner = Pick<Workspace, 'id' | 'liveId'>;

/** Which part of a workspace's log to read. */
export type LogQuery = {
  /** null for the beginning of the log. */
  readonly after: EventCursor | null;
  readonly limit: number;
  readonly type: EventType | null;
  readonly emailId: string | null;
};

/** Events in the order of the log. `next` is where the next page begins. */
export type LogPage = {
  readonly events: readonly LoggedEvent[];
  /** The given cursor if the page has no events and there is nothing to skip. */
  readonly next: EventCursor | null;
  /** Whether there may be more events now. If not, they come later. */
  readonly hasMore: boolean;
};

/**
 * One page of a workspace's events. No event is ever added before a cursor, because the log is read only up to the
 * horizon: the position of the first transaction that is still running (schema/tables/events.ts).
 */
export async function readEventLog(
  db: Db,
  workspace: LogOwner,
  { after, limit, type, emailId }: LogQuery,
): Promise<LogPage> {
  // A bounded page takes the same time however few events have the type.
  const scanned = type === null ? limit + 1 : limits.scannedEvents.max;
  const { position, eventId } = after ?? START_OF_LOG;
  const values = [workspace.id, position, eventId, scanned, type, limit + 1, ...(emailId === null ? [] : [emailId])];
  const statement = emailId === null ? READ_LOG : READ_EVENTS_OF_EMAIL;
  const rows = await inPipeline(db, (send) => send<LogRow>(statement, values));
  const [first] = rows;
  if (!first) return { events: [], next: after, hasMore: false };
  const found = rows.filter((row): row is LogRow & FoundRow => row.id !== null);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const isCut = found.length > limit && last !== undefined;
  return {
    events: page.map((row) => toLoggedEvent(row, getMode(workspace))),
    next: isCut
      ? { position: last.position, eventId: last.id }
      : { position: first.end_position, eventId: first.end_id },
    hasMore: isCut || first.scanned === scanned,
  };
}

const COLUMNS = 'id, stream_id, sequence, position, type, recipient, detail, data, created_at';

/** A statement that reads from the CTE or table `source`, and returns at least one row if there are any. */
const readSql = (source: string, condition: string) => `
  scanned as materialized (
    select ${COLUMNS} from ${source}
    where ${condition} and position >= $2::bigint and (position, id) > ($2::bigint, $3::uuid)
      and position < (select event_horizon())
    order by position, id limit $4::int
  ),
  ending as (select position, id from scanned order by position desc, id desc limit 1),
  found as (select * from scanned where $5::text is null or type = $5 order by position, id limit $6::int)
  select ending.position::text as end_position, ending.id as end_id, (select count(*)::int from scanned) as scanned,
    found.id, stream_id as "streamId", sequence, found.position::text as position, type, recipient, detail, data,
    created_at as "createdAt"
  from ending left join found on true order by found.position, found.id`;

const READ_LOG: Statement = { name: 'read_event_log', text: `with ${readSql('events', 'workspace_id = $1::uuid')}` };

/**
 * An email has few events, so all of them are read before they are sorted. Otherwise, Postgres would search the
 * workspace's log for them, in the order of positions.
 */
const READ_EVENTS_OF_EMAIL: Statement = {
  name: 'read_events_of_email',
  text: `
  with of_email as materialized (
    select ${COLUMNS} from events where stream_id = $7::uuid and workspace_id = $1::uuid
  ),
  ${readSql('of_email', 'true')}`,
};

type FoundRow = EventRow & { position: string };

type LogRow = { end_position: string; end_id: string; scanned: number } & (FoundRow | { id: null });

/** The place behind every event that can be read now. */
export async function findLogEnd(db: Db): Promise<EventCursor> {
  const statement = { name: 'find_log_end', text: 'select event_horizon()::text as horizon' };
  const [row] = await inPipeline(db, (send) => send<{ horizon: string }>(statement, []));
  const horizon = BigInt(row?.horizon ?? 1);
  return { position: String(horizon - 1n), eventId: MAX_EVENT_ID };
}

/** A row of `events`, with its columns named as the fields. */
type EventRow = Omit<LoggedEvent, 'mode'>;

/** A row that was joined with `events`, and found no event if `type` is null. */
export type JoinedEventRow = Omit<EventRow, 'type'> & { type: EventType | null };

export function toJoinedEvent({ type, ...row }: JoinedEventRow, mode: Mode): LoggedEvent | null {
  return type === null ? null : toLoggedEvent({ ...row, type }, mode);
}

function toLoggedEvent(row: EventRow, mode: Mode): LoggedEvent {
  const { id, streamId, sequence, type, recipient, detail, data, createdAt } = row;
  return { id, streamId, sequence, type, recipient, detail, data, mode, createdAt };
}

/** An event that does not belong to an email, so it is a stream of its own. */
type StandaloneEvent = {
  readonly id: string;
  readonly workspaceId: string;
  readonly type: EventType;
  readonly detail: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
};

export async function insertStandaloneEvent(trx: Knex, event: StandaloneEvent): Promise<void> {
  const data = JSON.stringify(event.data);
  await trx('events').insert(toColumns({ ...event, streamId: event.id, sequence: 1, data }));
}
