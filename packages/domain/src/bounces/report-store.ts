import type { ReportKind, ReportResult } from '@posthorn/contract';
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
import { DAY_MS, newId, toFirstId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import type { ReturnPathEnvelope } from './return-path.js';

/** A report as it was received. */
export type ReceivedReport = {
  /** What the return path says that it was sent to; null for a report to the address for complaints. */
  readonly envelope: ReturnPathEnvelope | null;
  /** The message, or its beginning if it is long. */
  readonly raw: Buffer;
  /** The bytes of the whole message. */
  readonly size: number;
  /** Of the whole message and its recipient. */
  readonly digest: Buffer;
};

/** A report that this process is to process. If it does not finish in time, another process does it again. */
export type LeasedReport = Pick<ReceivedReport, 'envelope' | 'raw'> & {
  readonly id: string;
  /** How many times it was leased, which fences the writes of a process that was too slow. */
  readonly tries: number;
};

/** Stores reports. One that was received before is left as it is. */
export async function insertReports(db: Knex, reports: readonly ReceivedReport[]): Promise<void> {
  const rows = reports.map(({ envelope, raw, size, digest }) => ({
    id: newId(),
    email_id: envelope?.emailId ?? null,
    positions: envelope && [...envelope.positions],
    raw,
    size,
    digest,
  }));
  // Every transaction inserts in the same order, so that no two can deadlock.
  const inOrder = rows.toSorted((one, two) => one.digest.compare(two.digest));
  await db('feedback_reports').insert(inOrder).onConflict('digest').ignore();
}

type LeasedRow = {
  id: string;
  email_id: string | null;
  positions: number[] | null;
  raw: Buffer;
  tries: number;
};

/**
 * Takes the reports that have been due for longest, in the order in which they came. They are due again after
 * `leaseSeconds`. Anybody can write to the address for complaints, so reports to it have a limit of their own, and cannot
 * hold up those that were sent to a return path.
 * @returns `mayBeMore` is false if no other report is due
 */
export async function leaseReports(
  db: Db,
  {
    limit,
    complaintAddressLimit,
    leaseSeconds,
  }: { limit: number; complaintAddressLimit: number; leaseSeconds: number },
): Promise<{ reports: LeasedReport[]; mayBeMore: boolean }> {
  const { rows }: { rows: LeasedRow[] } = await db.raw(
    `update feedback_reports set due_at = now() + ? * interval '1 second', tries = tries + 1
     where id = any(array(${buildDueSql('email_id is not null')}) || array(${buildDueSql('email_id is null')}))
     returning id, email_id, positions, coalesce(raw, '') as raw, tries`,
    [leaseSeconds, limit, complaintAddressLimit],
  );
  const toComplaintAddress = rows.filter(({ email_id }) => email_id === null).length;
  return {
    // Ids begin with the time.
    reports: rows.map(toLeasedReport).toSorted((one, two) => (one.id < two.id ? -1 : 1)),
    mayBeMore: toComplaintAddress === complaintAddressLimit || rows.length - toComplaintAddress === limit,
  };
}

/** SQL: the ids of the reports that have been due for longest. @param which a condition */
function buildDueSql(which: string): string {
  return `select id from feedback_reports where ${which} and due_at <= now() order by due_at limit ? for update skip locked`;
}

function toLeasedReport({ email_id, positions, ...row }: LeasedRow): LeasedReport {
  return { ...row, envelope: email_id === null ? null : { emailId: email_id, positions: positions ?? [] } };
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
  /** Whether the message itself is kept. */
  readonly isKept: boolean;
};

export async function finishReports(
  trx: Knex,
  finished: readonly FinishedReport[],
  { waitSeconds }: { waitSeconds: number },
): Promise<void> {
  const rows = finished.map(({ report: { id, kind, envelope }, result, isKept }) => ({
    id,
    kind,
    result,
    email_id: envelope?.emailId,
    positions: envelope?.positions,
    is_kept: isKept,
  }));
  await trx.raw(
    `update feedback_reports set kind = read.kind, result = read.result,
       email_id = coalesce(feedback_reports.email_id, read.email_id),
       positions = coalesce(feedback_reports.positions, read.positions),
       raw = case when is_kept then raw end,
       due_at = case when read.result is null then now() + ? * interval '1 second' end
     from json_to_recordset(?::json) as read (
       id uuid, kind text, result text, email_id uuid, positions smallint[], is_kept boolean
     )
     where feedback_reports.id = read.id`,
    [waitSeconds, JSON.stringify(rows)],
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

/** Deletes reports with lower ids. @returns how many, up to `limit` */
async function deleteReportsBelow(db: Db, id: string, limit: number): Promise<number> {
  return db('feedback_reports')
    .whereIn('id', db('feedback_reports').select('id').where('id', '<', id).whereNull('due_at').limit(limit))
    .delete();
}

/** Counting stops here, because finding an exact number above this would take long. */
const MAX_COUNTED_REPORTS = 10_000;

/** @returns how many reports are due, and for how many seconds the oldest of them has been due */
export async function readReportBacklog(db: Db): Promise<{ waiting: number; oldestSeconds: number }> {
  const due = (which: string) =>
    `(select due_at from feedback_reports where ${which} and due_at <= now() order by due_at limit :limit)`;
  const { rows } = await db.raw(
    `select least(count(*), :limit) as waiting, coalesce(extract(epoch from now() - min(due_at)), 0)::float as oldest
     from (${due('email_id is not null')} union all ${due('email_id is null')}) as due`,
    { limit: MAX_COUNTED_REPORTS },
  );
  return { waiting: Number(rows[0].waiting), oldestSeconds: rows[0].oldest };
}

const REPORTS_PER_STATEMENT = 500;

/**
 * Deletes reports that are too old to be of interest. What they said stays with their emails.
 * @param now the time according to Postgres
 * @param mayContinue called before each statement. If it returns false, the remaining reports are left for a later call
 */
export async function deleteOldReports(
  { db }: Pick<Context, 'db'>,
  now: Date,
  mayContinue: () => boolean,
): Promise<void> {
  const below = toFirstId(now.getTime() - limits.reportDays.max * DAY_MS);
  await deleteInBatches((size) => deleteReportsBelow(db, below, size), REPORTS_PER_STATEMENT, mayContinue);
}
