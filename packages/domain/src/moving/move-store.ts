import type { Knex } from 'knex';
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

/** What keeps a workspace from leaving: mail or events that a worker has in hand, and events that nobody counted yet. */
export type StillBusy = { readonly emails: number; readonly webhooks: number; readonly uncounted: boolean };

/**
 * Keeps workers from claiming the emails and the webhooks of the workspace. An email that a process accepts late is
 * stopped by the next call.
 */
export async function holdBack(db: Db, ids: readonly string[]): Promise<StillBusy> {
  const { rows } = await db.raw(
    `with held as (
       update deliveries set needs = needs | ${MOVED_AWAY}
       where workspace_id = any(:ids) and needs & ${MOVED_AWAY} = 0 and lease_until is null
     ),
     webhooks_held as (
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

/** Lets workers continue with what `holdBack` stopped, or with what was copied. */
export async function release(trx: Knex.Transaction, ids: readonly string[]): Promise<void> {
  const bindings = { ids: [...ids] };
  await trx.raw(
    `update deliveries set needs = needs & ~${MOVED_AWAY} where workspace_id = any(:ids) and needs & ${MOVED_AWAY} <> 0`,
    bindings,
  );
  await trx.raw(
    `update webhook_states set lease = lease + 1, lease_until = null, due_at = coalesce(due_at, now())
     from webhooks where webhooks.id = webhook_id and workspace_id = any(:ids) and lease_until >= '9999-01-01'`,
    bindings,
  );
}

/** Schedules in the target what `moved-tables.ts` copied at rest. */
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
