import type { Knex } from 'knex';
import { NIL } from 'uuid';
import type { Db } from '../database/connect.js';
import { MOVED_AWAY } from '../deliveries/needs.js';

/** `leaving`: it is being copied away. `moved`: it is in another database. `arriving`: its copy is not complete. */
export type MoveState = 'leaving' | 'moved' | 'arriving';

/** @returns undefined if the database has no such workspace */
export async function readMoveState(db: Knex, id: string): Promise<MoveState | null | undefined> {
  const row = await db('workspaces').select('move_state').where({ id }).whereNull('test_of').first();
  return row?.move_state;
}

/** The live workspace and the one with its test mail. */
export function findPair(db: Knex, id: string): Promise<string[]> {
  return db('workspaces').where({ id }).orWhere({ test_of: id }).orderBy('id').pluck('id');
}

export async function setMoveState(db: Knex, ids: readonly string[], state: MoveState | null, to: string | null) {
  await db('workspaces').whereIn('id', ids).update({ move_state: state, moved_to: to });
}

/** What keeps a workspace from leaving: mail or events that a worker has in hand, and events that are not counted yet. */
export type StillBusy = { readonly emails: number; readonly webhooks: number; readonly uncounted: boolean };

/**
 * Keeps workers from claiming the emails and the webhooks of the workspace. An email that a process accepts late is
 * stopped by the next call.
 */
export async function holdBack(db: Db, ids: readonly string[]): Promise<StillBusy> {
  await changeQueue(
    db,
    ids,
    `update deliveries set needs = needs | ${MOVED_AWAY} from page
     where ${IS_ON_PAGE} and needs & ${MOVED_AWAY} = 0 and deliveries.lease_until is null`,
  );
  const { rows } = await db.raw(
    `with webhooks_held as (
       update webhook_states set lease = lease + 1, lease_until = '9999-01-01'
       from webhooks where webhooks.id = webhook_id and workspace_id = any(:ids)
         and (lease_until is null or lease_until <= now())
     )
     select
       (select count(*)::int from deliveries where workspace_id = any(:ids) and lease_until is not null) as emails,
       (select count(*)::int from webhook_states join webhooks on webhooks.id = webhook_id
        where workspace_id = any(:ids) and lease_until > now() and lease_until < '9999-01-01') as webhooks,
       coalesce((select max(position) from events where workspace_id = any(:ids)), 0)
         > (select least((select position from webhook_cursor), (select position from sending_stats_cursor))) as uncounted`,
    { ids: [...ids] },
  );
  return rows[0];
}

/** Lets workers claim the emails that `holdBack` stopped, or that were copied. */
export async function releaseEmails(db: Db, ids: readonly string[]): Promise<void> {
  await changeQueue(
    db,
    ids,
    `update deliveries set needs = needs & ~${MOVED_AWAY} from page where ${IS_ON_PAGE} and needs & ${MOVED_AWAY} <> 0`,
  );
}

/**
 * Empties the queue of workspaces that have moved. Otherwise the emails would count as waiting, and workers would walk
 * past them in each round of the sweep.
 */
export async function deleteHeldEmails(db: Db, ids: readonly string[]): Promise<void> {
  await changeQueue(db, ids, `delete from deliveries using page where ${IS_ON_PAGE} and needs & ${MOVED_AWAY} <> 0`);
}

/** How many entries of the queue a statement looks at, so that it is short even if the queue is long. */
const PAGE_SIZE = 1_000;
const IS_ON_PAGE = 'deliveries.email_id = page.email_id and page.workspace_id = any(:ids)';

/** @param change a statement that changes the emails in `page` */
async function changeQueue(db: Db, ids: readonly string[], change: string): Promise<void> {
  for (let after: string | null = NIL; after !== null; ) {
    const { rows }: { rows: Array<{ last: string | null }> } = await db.raw(
      `with page as materialized (
         select email_id, workspace_id from deliveries where email_id > :after order by email_id limit ${PAGE_SIZE}
       ),
       changed as (${change})
       select email_id as last from page order by email_id offset ${PAGE_SIZE - 1}`,
      { ids: [...ids], after },
    );
    after = rows[0]?.last ?? null;
  }
}

/** Lets workers continue with the webhooks that `holdBack` stopped, or that were copied. */
export async function releaseWebhooks(trx: Knex.Transaction, ids: readonly string[]): Promise<void> {
  await trx.raw(
    `update webhook_states set lease = lease + 1, lease_until = null, due_at = coalesce(due_at, now())
     from webhooks where webhooks.id = webhook_id and workspace_id = any(:ids) and lease_until >= '9999-01-01'`,
    { ids: [...ids] },
  );
}

/** Schedules in the target what `moved-tables.ts` copied inactive. */
export async function startSchedules(trx: Knex.Transaction, ids: readonly string[]): Promise<void> {
  const bindings = { ids: [...ids] };
  await trx.raw('update erasures set due_at = now() where workspace_id = any(:ids) and finished_at is null', bindings);
  await trx.raw(
    'update sending_domains set next_check_at = now() where workspace_id = any(:ids) and deleted_at is null',
    bindings,
  );
  await trx.raw("update blobs set kept_until = now() + interval '1 day' where workspace_id = any(:ids)", bindings);
}

/** The source must never delete objects of the object store, because the target uses them too. */
export async function keepObjects(trx: Knex.Transaction, ids: readonly string[]): Promise<void> {
  await trx.raw(
    "update blobs set kept_until = '9999-01-01' where workspace_id = any(:ids) and object_key is not null",
    {
      ids: [...ids],
    },
  );
}
