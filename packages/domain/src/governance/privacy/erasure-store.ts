import { type ListPage, type Pagination, pageById } from '@posthorn/platform/postgres';
import type { SealedSecret } from '@posthorn/platform/secrets';
import type { Knex } from 'knex';
import type { Erasure, ErasureProgress, ErasureStep, ErasureWork } from './erasure.js';

type NewErasure = {
  readonly id: string;
  readonly workspaceId: string;
  readonly sealed: SealedSecret;
  readonly requestedAt: Date;
  readonly below: string;
};

export async function insertErasure(trx: Knex, erasure: NewErasure): Promise<void> {
  await trx('erasures').insert({
    id: erasure.id,
    workspace_id: erasure.workspaceId,
    address: erasure.sealed.bytes,
    secret_key_id: erasure.sealed.secretKeyId,
    requested_at: erasure.requestedAt,
    below: erasure.below,
  });
}

/** One page of a workspace's erasures, newest first. */
export async function listErasures(db: Knex, workspaceId: string, pagination: Pagination): Promise<ListPage<Erasure>> {
  const query = selectErasures(db).where({ workspace_id: workspaceId });
  return pageById(query, pagination, toErasure);
}

/** @returns null when the workspace has no such erasure */
export async function findErasure(db: Knex, workspaceId: string, id: string): Promise<Erasure | null> {
  const row: ErasureRow | undefined = await selectErasures(db).where({ workspace_id: workspaceId, id }).first();
  return row ? toErasure(row) : null;
}

const MAX_COUNTED = 1_000;

function selectErasures(db: Knex): Knex.QueryBuilder {
  return db('erasures')
    .select('id', 'requested_at', 'finished_at', 'erased_emails')
    .select(
      db.raw(
        `(select count(*)::int from (
         select from erasure_emails where erasure_id = erasures.id and erasure_emails.erased_at is null limit ?
       ) as waiting) as waiting_emails`,
        [MAX_COUNTED],
      ),
    );
}

type ErasureRow = {
  id: string;
  requested_at: Date;
  finished_at: Date | null;
  erased_emails: number;
  waiting_emails: number;
};

function toErasure({ id, requested_at, finished_at, erased_emails, waiting_emails }: ErasureRow): Erasure {
  return {
    id,
    status: finished_at === null ? 'pending' : 'finished',
    erasedEmails: erased_emails,
    waitingEmails: waiting_emails,
    requestedAt: requested_at,
    finishedAt: finished_at,
  };
}

type LockedErasure = Omit<ErasureWork, 'address'> & { readonly sealed: SealedSecret };

/**
 * Locks the erasure that has waited longest for its next batch. This must be the first statement of its transaction,
 * because an erasure waits for all transactions that began before it.
 * @returns null if none is due, except for those that other processes work on
 */
export async function lockDueErasure(trx: Knex): Promise<LockedErasure | null> {
  const { rows } = await trx.raw(
    `select id, workspace_id, (select id from workspaces where test_of = erasures.workspace_id) as test_id,
       address, secret_key_id, below, step, is_in_test_mail, place
     from erasures where due_at <= now() and position < event_horizon()
     order by due_at limit 1 for update skip locked`,
  );
  const row: LockedRow | undefined = rows[0];
  if (!row) return null;
  return {
    id: row.id,
    liveId: row.workspace_id,
    testId: row.test_id,
    sealed: { bytes: row.address, secretKeyId: row.secret_key_id },
    below: row.below,
    step: row.step,
    isInTestMail: row.is_in_test_mail,
    resumeAfter: row.place,
  };
}

type LockedRow = {
  id: string;
  workspace_id: string;
  test_id: string | null;
  address: Buffer;
  secret_key_id: string;
  below: string;
  step: ErasureStep;
  is_in_test_mail: boolean;
  place: string | null;
};

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
