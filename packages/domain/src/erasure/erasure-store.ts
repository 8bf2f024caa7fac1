import type { Erasure as ErasureJson } from '@posthorn/contract';
import { type ListPage, listColumns, listPageById, type Pagination, toColumns } from '@posthorn/platform/postgres';
import type { SealedSecret } from '@posthorn/platform/secrets';
import type { Knex } from 'knex';
import { NIL } from 'uuid';

/** The order of the steps. The first three look for emails and stored responses; `rest` waits for unfinished emails. */
export type ErasureStep = 'recipients' | 'reply_to' | 'responses' | 'rest' | 'done';

/** A request to erase a recipient, as an owner sees it. It never shows the address. */
export type Erasure = {
  readonly id: string;
  readonly status: ErasureJson['status'];
  /** How many emails have been erased so far. */
  readonly erasedEmails: number;
  /**
   * How many emails still have to be erased, because they are being sent or other recipients are waiting for them.
   * Counted up to 1,000.
   */
  readonly waitingEmails: number;
  readonly requestedAt: Date;
  readonly finishedAt: Date | null;
};

/** What a step of an erasure needs to know. */
export type ErasureWork = {
  readonly id: string;
  /** The live workspace, and the one with its test mail. */
  readonly liveId: string;
  readonly testId: string | null;
  /** In lower case. */
  readonly address: string;
  /** Only emails with lower ids are erased. */
  readonly below: string;
  readonly step: ErasureStep;
  readonly isInTestMail: boolean;
  /** The last email or idempotency key that the step has looked at; null if it has not begun. */
  readonly resumeAfter: string | null;
};

/** How far an erasure has got after a batch. */
export type ErasureProgress = Pick<ErasureWork, 'step' | 'isInTestMail' | 'resumeAfter'> & {
  /** How long to wait before the next batch. */
  readonly pauseSeconds: number;
  /** How many emails the batch erased. */
  readonly erased: number;
};

type NewErasure = {
  readonly id: string;
  readonly workspaceId: string;
  readonly sealed: SealedSecret;
  readonly requestedAt: Date;
  readonly below: string;
};

export async function insertErasure(trx: Knex, { sealed, ...erasure }: NewErasure): Promise<void> {
  const { bytes: address, secretKeyId } = sealed;
  await trx('erasures').insert(toColumns({ ...erasure, address, secretKeyId }));
}

/** One page of a workspace's erasures, newest first. */
export async function listErasures(db: Knex, workspaceId: string, pagination: Pagination): Promise<ListPage<Erasure>> {
  const query = selectErasures(db).where({ workspace_id: workspaceId });
  return listPageById(query, pagination, (erasure: Erasure) => erasure);
}

/** @returns null when the workspace has no such erasure */
export async function findErasure(db: Knex, workspaceId: string, id: string): Promise<Erasure | null> {
  const erasure = await selectErasures(db).where({ workspace_id: workspaceId, id }).first();
  return erasure ?? null;
}

const MAX_COUNTED = 1_000;

function selectErasures(db: Knex): Knex.QueryBuilder {
  return db('erasures')
    .select(listColumns('erasures', 'id requestedAt finishedAt erasedEmails'))
    .select(db.raw("case when finished_at is null then 'pending' else 'finished' end as status"))
    .select(
      db.raw(
        `(select count(*)::int from (
         select from erasure_emails where erasure_id = erasures.id and erasure_emails.erased_at is null limit ?
       ) as waiting) as "waitingEmails"`,
        [MAX_COUNTED],
      ),
    );
}

type LockedErasure = Omit<ErasureWork, 'address'> & { readonly sealed: SealedSecret };

/**
 * Locks the erasure that has waited longest for its next batch, in the next workspace that has one. So a workspace with
 * a thousand erasures gets no more batches than one with a single erasure. This must come first in its transaction,
 * because an erasure waits for all transactions that began before it.
 * @param after the workspace that had its turn; the next one has a higher id, or is the first
 * @returns null if none is due, except for those that other processes work on
 */
export async function lockDueErasure(trx: Knex, after: string): Promise<LockedErasure | null> {
  const found = await lockDueErasureAfter(trx, after);
  return found === null && after !== NIL ? lockDueErasureAfter(trx, NIL) : found;
}

/** Each step of the recursion skips to the next workspace, whatever the number of erasures of the one before. */
async function lockDueErasureAfter(trx: Knex, after: string): Promise<LockedErasure | null> {
  const { rows } = await trx.raw(
    `with recursive workspace as (
       (select workspace_id, due_at from erasures
        where due_at is not null and workspace_id > ? order by workspace_id, due_at limit 1)
       union all
       select next.workspace_id, next.due_at from workspace cross join lateral (
         select workspace_id, due_at from erasures
         where due_at is not null and erasures.workspace_id > workspace.workspace_id
         order by erasures.workspace_id, due_at limit 1
       ) as next
     )
     select id, workspace_id as "liveId", (select id from workspaces where test_of = workspace.workspace_id) as "testId",
       address as bytes, secret_key_id as "secretKeyId", below, step, is_in_test_mail as "isInTestMail",
       place as "resumeAfter"
     from workspace cross join lateral (
       select id, address, secret_key_id, below, step, is_in_test_mail, place from erasures
       where erasures.workspace_id = workspace.workspace_id and due_at <= now() and position < event_horizon()
       order by due_at limit 1 for update skip locked
     ) as erasure
     where workspace.due_at <= now() limit 1`,
    [after],
  );
  if (rows.length === 0) return null;
  const { bytes, secretKeyId, ...erasure } = rows[0];
  return { ...erasure, sealed: { bytes, secretKeyId } };
}

export async function saveProgress(
  trx: Knex,
  id: string,
  { step, isInTestMail, resumeAfter, pauseSeconds, erased }: ErasureProgress,
): Promise<void> {
  await trx.raw(
    `update erasures set step = :step, is_in_test_mail = :isInTestMail, place = :resumeAfter,
       erased_emails = erased_emails + :erased,
       due_at = case when :step <> 'done' then now() + :pauseSeconds::float * interval '1 second' end,
       finished_at = case when :step = 'done' then now() end
     where id = :id`,
    { id, step, isInTestMail, resumeAfter, pauseSeconds, erased },
  );
}

/** Lets an erasure whose batch failed wait, so that the others go on. */
export async function postponeErasure(db: Knex, id: string, seconds: number): Promise<void> {
  await db.raw(
    "update erasures set due_at = now() + ?::float * interval '1 second' where id = ? and due_at is not null",
    [seconds, id],
  );
}

/** The next erasures of all workspaces after the one with the id `after`, in the order of their ids. */
export async function listJournal(db: Knex, after: string, limit: number): Promise<JournalEntry[]> {
  return db('erasures')
    .select(listColumns('erasures', 'id workspaceId address secretKeyId requestedAt below'))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit);
}

/**
 * Puts an erasure back to its beginning, or adds it if the database does not have it.
 * @returns false if its workspace does not exist
 */
export async function restartErasure(trx: Knex, entry: JournalEntry): Promise<boolean> {
  const { rowCount } = await trx.raw(
    `insert into erasures (id, workspace_id, address, secret_key_id, requested_at, below)
     select :id::uuid, workspaces.id, :address::bytea, :secretKeyId, :requestedAt::timestamptz, :below::uuid
     from workspaces where workspaces.id = :workspaceId
     on conflict (id) do update
       set step = 'recipients', is_in_test_mail = false, place = null, due_at = now(), finished_at = null,
         position = event_position()`,
    { ...entry },
  );
  return rowCount > 0;
}

/** One erasure as it is kept outside the database: enough to repeat it. The address is encrypted. */
export type JournalEntry = {
  readonly id: string;
  readonly workspaceId: string;
  /** The encrypted address, and the id of the SECRET_KEY that decrypts it. */
  readonly address: Buffer;
  readonly secretKeyId: string;
  readonly requestedAt: Date;
  readonly below: string;
};
