import type { AttemptOutcome, AttemptPhase, EmailEventType } from '@posthorn/contract';
import { findEdge, type ListPage, type Pagination, readSizedPage } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';

export type DeliveryAttempt = {
  attempt: number;
  route: string | null;
  phase: AttemptPhase | null;
  outcome: AttemptOutcome | null;
  conversation: string[];
  startedAt: Date;
  endedAt: Date | null;
};

export type EmailEvent = {
  id: string;
  /** Counts from 1. */
  sequence: number;
  type: EmailEventType;
  recipient: string | null;
  detail: string | null;
  createdAt: Date;
};

export const attemptColumns = [
  ...['attempt', 'route', 'phase', 'outcome', 'conversation'],
  ...['started_at as startedAt', 'ended_at as endedAt'],
];

/** An attempt gets its row when it ends. Until then, the queue entry shows when the attempt started. */
const RUNNING = runningSql('email_id = ?');

/** The running attempts of several emails, with the email of each. */
export const RUNNING_OF_EMAILS = runningSql('email_id = any(?::uuid[])', 'email_id as of_email,');

function runningSql(condition: string, columns = ''): string {
  return `
  select ${columns} attempt, null as route, null as phase, null as outcome, '{}'::text[] as conversation,
    claimed_at as "startedAt", null::timestamptz as "endedAt"
  from deliveries where ${condition} and lease_until is not null`;
}

/**
 * One page of an email's attempts, newest first. Attempt numbers are the cursors. The page size is also limited in
 * bytes, because a mail server decides how long a conversation is.
 */
export async function listAttempts(
  db: Knex,
  emailId: string,
  pagination: Pagination,
): Promise<ListPage<DeliveryAttempt>> {
  const { limit, after, before } = pagination;
  const direction = before === null ? 'desc' : 'asc';
  const onPage = (query: Knex.QueryBuilder) => {
    if (after !== null) query.whereRaw('attempt < ?::int', [after]);
    if (before !== null) query.whereRaw('attempt > ?::int', [before]);
    return query.orderBy('attempt', direction).limit(limit + 1);
  };
  const ended = onPage(db('delivery_attempts').select(attemptColumns).where({ email_id: emailId }));
  const all = db
    .from(ended.as('ended'))
    .select('*')
    .unionAll(db.raw(RUNNING, [emailId]));
  const candidates = onPage(db.from(all.as('attempts')).select('*'));
  const bytes = 'octet_length(conversation::text)';
  const page = await readSizedPage<DeliveryAttempt>(db, candidates, { limit, order: `attempt ${direction}`, bytes });
  const rows = before === null ? page.rows : page.rows.toReversed();
  const edge = page.hasMore ? findEdge(rows, pagination) : undefined;
  return { rows, nextCursor: edge ? String(edge.attempt) : null };
}

/** An event that a relay's provider reported is shown at the time when it happened. */
export function listEventColumns(db: Knex): (string | Knex.Raw)[] {
  const happenedAt = db.raw(`coalesce((data ->> 'occurred_at')::timestamptz, created_at) as "createdAt"`);
  return ['id', 'sequence', 'type', 'recipient', 'detail', happenedAt];
}

/** One page of an email's events, newest first. Sequences are the cursors. */
export async function listEvents(db: Knex, emailId: string, pagination: Pagination): Promise<ListPage<EmailEvent>> {
  const { limit, after, before } = pagination;
  const query = db('events')
    .select(listEventColumns(db))
    .where({ stream_id: emailId })
    .orderBy('sequence', before === null ? 'desc' : 'asc')
    .limit(limit + 1);
  if (after !== null) query.whereRaw('sequence < ?::int', [after]);
  if (before !== null) query.whereRaw('sequence > ?::int', [before]);
  const found: EventRow[] = await query;
  const page = found.slice(0, limit).map(toEvent);
  const rows = before === null ? page : page.toReversed();
  const edge = found.length > limit ? findEdge(rows, pagination) : undefined;
  return { rows, nextCursor: edge ? String(edge.sequence) : null };
}

export type EventRow = Omit<EmailEvent, 'type'> & { type: `email.${EmailEventType}` };

export function toEvent({ type, ...row }: EventRow): EmailEvent {
  return { ...row, type: type.slice('email.'.length) as EmailEventType };
}
