import type { Mailbox, ReportKind, ReportResult } from '@posthorn/contract';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import {
  type Db,
  deleteInBatches,
  type ListPage,
  listColumns,
  listPageById,
  type Pagination,
} from '@posthorn/platform/postgres';
import type { Knex } from 'knex';
import { deleteExpiredTokens } from './provider-event-store.js';
import type { ReceivedReport } from './received-report-store.js';

/** A report that this process is to process. If it does not finish in time, another process does it again. */
export type LeasedReport = Pick<ReceivedReport, 'envelope' | 'mailbox' | 'peer' | 'raw'> & {
  readonly id: string;
  /** How many times it was leased, which fences the writes of a process that was too slow. */
  readonly tries: number;
  /** The relay whose provider posted it; null for mail. */
  readonly relayId: string | null;
  readonly receivedAt: Date;
};

type LeasedRow = {
  id: string;
  turn_id: string;
  email_id: string | null;
  positions: number[] | null;
  mailbox: Mailbox | null;
  peer: string | null;
  raw: Buffer;
  tries: number;
  relay_id: string | null;
  received_at: Date;
};

/** The workspaces with waiting reports, in order. It skips through the index, with one lookup for each. */
const TURNS = `turns as (
      (select turn_id from feedback_reports where due_at is not null order by turn_id limit 1)
      union all
      select following.turn_id from turns, lateral (
        select turn_id from feedback_reports
        where due_at is not null and feedback_reports.turn_id > turns.turn_id
        order by turn_id limit 1
      ) as following
    )`;

/**
 * Takes due reports, which are due again after `leaseSeconds`. Workspaces take turns, so a flood of reports about the
 * mail of one delays none about the mail of others: each gets the same share of the lease, and the first report of each
 * comes first. The reports of a workspace are in the order in which they came.
 * @returns no reports if none is due
 */
export async function leaseReports(
  db: Db,
  { limit, leaseSeconds }: { limit: number; leaseSeconds: number },
): Promise<LeasedReport[]> {
  const { rows }: { rows: LeasedRow[] } = await db.raw(
    `with recursive ${TURNS},
    due as (
      select waiting.id
      from (select turn_id from turns order by random()) as turn,
      lateral (
        select id from feedback_reports
        where feedback_reports.turn_id = turn.turn_id and due_at <= now()
        order by due_at limit (select ceil(cast(:limit as float) / greatest(1, count(*)))::int from turns)
        for update skip locked
      ) as waiting
      limit cast(:limit as int)
    )
    update feedback_reports set due_at = now() + cast(:leaseSeconds as int) * interval '1 second', tries = tries + 1
    where id = any(array(select id from due))
    returning id, turn_id, email_id, positions, mailbox, peer, coalesce(raw, '') as raw, tries, relay_id, received_at`,
    { limit, leaseSeconds },
  );
  return takeTurns(rows).map(toLeasedReport);
}

/** The first report of each workspace, then the second of each, and so on. Ids begin with the time. */
function takeTurns(rows: readonly LeasedRow[]): LeasedRow[] {
  const taken = new Map<string, number>();
  const inTurns = rows
    .toSorted((one, two) => (one.id < two.id ? -1 : 1))
    .map((row) => {
      const turn = (taken.get(row.turn_id) ?? 0) + 1;
      taken.set(row.turn_id, turn);
      return { row, turn };
    });
  return inTurns.toSorted((one, two) => one.turn - two.turn).map(({ row }) => row);
}

function toLeasedReport({ id, tries, email_id, positions, mailbox, peer, raw, ...row }: LeasedRow): LeasedReport {
  return {
    id,
    tries,
    relayId: row.relay_id,
    receivedAt: row.received_at,
    mailbox,
    peer,
    raw,
    envelope: email_id === null ? null : { emailId: email_id, positions: positions ?? [] },
  };
}

/** Locks the reports that no other process has finished or taken over. @returns their ids */
export async function lockReports(
  trx: Knex,
  reports: ReadonlyArray<Pick<LeasedReport, 'id' | 'tries'>>,
): Promise<Set<string>> {
  const { rows } = await trx.raw(
    `select id from feedback_reports
     where (id, tries) in (select id, tries from json_to_recordset(?::json) as leased (id uuid, tries int))
       and due_at is not null
     order by id for update`,
    [JSON.stringify(reports.map(({ id, tries }) => ({ id, tries })))],
  );
  return new Set(rows.map(({ id }: { id: string }) => id));
}

export type FinishedReport = {
  readonly report: Pick<LeasedReport, 'id' | 'envelope'> & { readonly kind: ReportKind };
  /** null if the report has to wait. */
  readonly result: ReportResult | null;
  /** How long, if it has to wait. */
  readonly waitSeconds: number;
  /** How much of the message is kept, and for how long. With 0 days, the report is deleted at once. */
  readonly kept: { readonly bytes: number; readonly days: number };
};

export async function finishReports(trx: Knex, finished: readonly FinishedReport[]): Promise<void> {
  const rows = finished.map(({ report: { id, kind, envelope }, result, kept, waitSeconds }) => ({
    id,
    kind,
    result,
    email_id: envelope?.emailId,
    positions: envelope?.positions,
    bytes: kept.bytes,
    days: kept.days,
    wait: waitSeconds,
  }));
  await trx.raw(
    `with read as materialized (
       select * from json_to_recordset(cast(:rows as json)) as read (
         id uuid, kind text, result text, email_id uuid, positions smallint[], bytes int, days int, wait int
       )
     ),
     deleted as (
       delete from feedback_reports using read where feedback_reports.id = read.id and read.result is not null and days = 0
     )
     update feedback_reports set kind = read.kind, result = read.result,
       email_id = coalesce(feedback_reports.email_id, read.email_id),
       positions = coalesce(feedback_reports.positions, read.positions),
       raw = case when read.result is null then raw when bytes > 0 then substring(raw from 1 for bytes) end,
       due_at = case when read.result is null then now() + wait * interval '1 second' end,
       expires_at = case when read.result is not null then now() + days * interval '1 day' end
     from read
     where feedback_reports.id = read.id and (read.result is null or days > 0)`,
    { rows: JSON.stringify(rows) },
  );
}

/** Ends the lease of reports that were not looked at, as if it had not begun. */
export async function giveBackReports(
  db: Db,
  reports: ReadonlyArray<Pick<LeasedReport, 'id' | 'tries'>>,
): Promise<void> {
  await db.raw(
    `update feedback_reports set due_at = received_at, tries = feedback_reports.tries - 1
     from json_to_recordset(?::json) as leased (id uuid, tries int)
     where feedback_reports.id = leased.id and feedback_reports.tries = leased.tries and due_at is not null`,
    [JSON.stringify(reports.map(({ id, tries }) => ({ id, tries })))],
  );
}

/** Tries the reports again after this time, because they could not be processed. */
export async function postponeReports(db: Db, ids: readonly string[], seconds: number): Promise<void> {
  await db('feedback_reports')
    .whereIn('id', [...ids])
    .whereNotNull('due_at')
    .update({ due_at: db.raw(`now() + ? * interval '1 second'`, [seconds]) });
}

/** A report as the workspace's users see it. */
export type StoredReport = {
  readonly id: string;
  /** null until it has been read. */
  readonly kind: ReportKind | null;
  /** null until it has been processed. */
  readonly result: ReportResult | null;
  /** The bytes of the whole message. */
  readonly size: number;
  /** The beginning of the message; null after a recipient of the email was erased. */
  readonly text: string | null;
  /** Whether the message continues after `text`. */
  readonly truncated: boolean;
  readonly receivedAt: Date;
};

type StoredRow = Omit<StoredReport, 'text' | 'truncated'> & { text: Buffer | null };

/** One page of the reports about an email, newest first. */
export async function listReports(db: Knex, emailId: string, pagination: Pagination): Promise<ListPage<StoredReport>> {
  const query = db('feedback_reports')
    .select(listColumns('feedback_reports', 'id kind result size receivedAt'))
    .select(db.raw('substring(raw from 1 for ?) as text', [limits.shownReportBytes.max]))
    .where({ email_id: emailId });
  return listPageById(query, pagination, toStoredReport);
}

function toStoredReport({ text, ...row }: StoredRow): StoredReport {
  return { ...row, text: text?.toString('utf8') ?? null, truncated: text !== null && text.length < row.size };
}

/** @returns how many reports are due, and for how many seconds the oldest of them has been due */
export async function readReportBacklog(db: Db): Promise<{ waiting: number; oldestSeconds: number }> {
  const { rows } = await db.raw(
    `select count(*)::int as waiting, coalesce(extract(epoch from now() - min(due_at)), 0)::float as "oldestSeconds"
     from feedback_reports where due_at <= now()`,
  );
  return rows[0];
}

const REPORTS_PER_STATEMENT = 500;

/**
 * Deletes reports that are no longer of interest, and used tokens. What reports said stays with their emails.
 * @param mayContinue called before each statement. If it returns false, the remaining reports are left for a later call
 */
export async function deleteExpiredReports({ db }: Pick<Context, 'db'>, mayContinue: () => boolean): Promise<void> {
  const deleteSome = (size: number): Promise<number> =>
    db('feedback_reports')
      .whereIn('id', db('feedback_reports').select('id').where('expires_at', '<=', db.fn.now()).limit(size))
      .delete();
  await deleteInBatches(deleteSome, REPORTS_PER_STATEMENT, mayContinue);
  await deleteInBatches((size) => deleteExpiredTokens(db, size), REPORTS_PER_STATEMENT, mayContinue);
}
