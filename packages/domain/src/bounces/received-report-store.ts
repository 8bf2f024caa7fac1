import type { Mailbox } from '@posthorn/contract';
import { limits } from '@posthorn/domain/limits';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import type { ReturnPathEnvelope } from './return-path.js';

/** A report, or another message to a mailbox of the service, as it was received. */
export type ReceivedReport = {
  /** What the return path says that it was sent to; null for a message to a mailbox. */
  readonly envelope: ReturnPathEnvelope | null;
  readonly mailbox: Mailbox | null;
  /** The network that it came from: an IPv4 address or an IPv6 /64; null if it is not known. */
  readonly peer: string | null;
  /** The message, or its beginning if it is long. */
  readonly raw: Buffer;
  /** The bytes of the whole message. */
  readonly size: number;
  /** Of the whole message, and of what it was sent to: the email and recipients, or the mailbox. */
  readonly digest: Buffer;
};

/**
 * What happened to a received report. One that was stored before counts as stored. `no_room` says that too many about the
 * email came in the last minute, or that too many of the workspace wait to be processed.
 */
export type ReceiptOutcome = 'stored' | 'no_room';

/** Stores reports, unless there is no room for them. @returns an outcome for each, in the same order */
export async function insertReports(db: Knex, reports: readonly ReceivedReport[]): Promise<ReceiptOutcome[]> {
  const rooms = await readRooms(db, reports);
  const takeRoom = openRooms(rooms);
  const decided = reports.map((report) => ({ report, ...takeRoom(report) }));
  const rows = decided
    .filter(({ outcome }) => outcome === 'stored')
    .map(({ report: { envelope, mailbox, peer, raw, size, digest }, turnId }) => ({
      id: newId(),
      email_id: envelope?.emailId ?? null,
      positions: envelope && [...envelope.positions],
      turn_id: turnId,
      mailbox,
      peer,
      raw: mailbox === null ? raw : raw.subarray(0, limits.operatorMailBytes.max),
      size,
      digest,
    }));
  // Every transaction inserts in the same order, so that no two can deadlock.
  const inOrder = rows.toSorted((one, two) => one.digest.compare(two.digest));
  if (inOrder.length > 0) await db('feedback_reports').insert(inOrder).onConflict('digest').ignore();
  await deleteSurplus(db, rooms);
  const refused = decided.filter(({ outcome }) => outcome !== 'stored').map(({ report }) => report.digest);
  const known = refused.length === 0 ? [] : await listKnown(db, refused);
  return decided.map(({ report, outcome }) => (known.some((one) => one.equals(report.digest)) ? 'stored' : outcome));
}

/** @returns those of the digests that are stored */
async function listKnown(db: Knex, digests: readonly Buffer[]): Promise<Buffer[]> {
  return db('feedback_reports')
    .whereIn('digest', [...digests])
    .pluck('digest');
}

type Room = {
  /** null for mail to a mailbox. */
  readonly emailId: string | null;
  readonly turnId: string;
  /** How many reports about the email are stored, and how many of them must stay for now. */
  readonly stored: number;
  readonly staying: number;
  /** How many reports wait for the same turn. */
  readonly waiting: number;
};

/**
 * SQL: a report that changed nothing, and has been here for a minute. It makes room for a new one. Otherwise, somebody who
 * knows a return path could fill it, so that no other bounce of the email would be taken.
 */
const MAY_GO = `(
  due_at is null and expires_at < received_at + ${limits.idleReportDays.max + 1} * interval '1 day'
  and received_at < now() - interval '1 minute'
)`;

/** Reports about emails that do not exist take the turn of the mailboxes. */
async function readRooms(db: Knex, reports: readonly ReceivedReport[]): Promise<Room[]> {
  const emailIds = [...new Set(reports.map(({ envelope }) => envelope?.emailId ?? null))];
  const { rows } = await db.raw(
    `select wanted.id as "emailId", turn.id as "turnId", reports.stored, reports.staying, queue.waiting
     from unnest(cast(:emailIds as uuid[])) as wanted (id)
     cross join lateral (
       select coalesce(
         (select workspace_id from email_recipients where email_id = wanted.id limit 1),
         '00000000-0000-0000-0000-000000000000'
       ) as id
     ) as turn
     cross join lateral (
       select count(*)::int as stored, (count(*) filter (where not ${MAY_GO}))::int as staying
       from feedback_reports where email_id = wanted.id and relay_id is null
     ) as reports
     cross join lateral (
       select count(*)::int as waiting from (
         select from feedback_reports where turn_id = turn.id and due_at is not null limit :maxWaiting
       ) as counted
     ) as queue`,
    { emailIds, maxWaiting: limits.waitingReports.max },
  );
  return rows;
}

/** Every recipient of an email may send a report of a delay, and one of a failure. */
const REPORTS_PER_RECIPIENT = 2;

function getMax(recipients: number): number {
  return Math.max(limits.reportsOfEmail.max, REPORTS_PER_RECIPIENT * recipients);
}

/** @returns a function that says whether there is room for one more, and counts it */
function openRooms(rooms: readonly Room[]) {
  const stored = new Map(rooms.map(({ emailId, staying }) => [emailId, staying]));
  const queued = new Map(rooms.map(({ turnId, waiting }) => [turnId, waiting]));
  const turns = new Map(rooms.map(({ emailId, turnId }) => [emailId, turnId]));

  return ({ envelope }: ReceivedReport): { readonly outcome: ReceiptOutcome; readonly turnId: string } => {
    const emailId = envelope?.emailId ?? null;
    const turnId = turns.get(emailId) as string;
    const [reports, waiting] = [stored.get(emailId) ?? 0, queued.get(turnId) ?? 0];
    const isFull = envelope !== null && reports >= getMax(envelope.positions.length);
    if (isFull || waiting >= limits.waitingReports.max) return { outcome: 'no_room', turnId };
    stored.set(emailId, reports + 1);
    queued.set(turnId, waiting + 1);
    return { outcome: 'stored', turnId };
  };
}

/** Deletes the oldest of those that may go, until the reports about an email are as few as they may be. */
async function deleteSurplus(db: Knex, rooms: readonly Room[]): Promise<void> {
  const full = rooms.flatMap(({ emailId, stored }) =>
    emailId !== null && stored >= limits.reportsOfEmail.max ? [emailId] : [],
  );
  if (full.length === 0) return;
  await db.raw(
    `delete from feedback_reports where id in (
       select id from (
         select *, row_number() over (partition by email_id order by ${MAY_GO}, id desc) as nth
         from feedback_reports where email_id = any(?::uuid[]) and relay_id is null
       ) as stored
       where ${MAY_GO} and nth > greatest(${limits.reportsOfEmail.max}, ${REPORTS_PER_RECIPIENT} * cardinality(positions))
     )`,
    [full],
  );
}
