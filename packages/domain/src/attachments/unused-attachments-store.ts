import type { Context } from '@posthorn/platform';
import { isUnavailable } from '@posthorn/platform/postgres';

/**
 * Content that an email still uses is checked again after this time. Each check takes 90 microseconds and writes 800
 * bytes of WAL, so checking a million files every hour would write 19 GB a day.
 */
const NEXT_LOOK = '1 day';

/**
 * Deletes attachment content that no email uses any more. Checks up to `limit` due entries, and then deletes up to
 * `limit` objects from the object store.
 * @returns how many entries or objects it found, whichever is more. If it is `limit`, there may be others
 */
export async function deleteUnusedAttachments(
  ctx: Pick<Context, 'db' | 'log' | 'objects'>,
  limit: number,
): Promise<number> {
  const { rows } = await ctx.db.raw(
    `with due as materialized (
       select workspace_id, sha256, object_key, exists (
         select from email_attachments as used where used.workspace_id = blobs.workspace_id and used.sha256 = blobs.sha256
       ) as is_used
       from blobs where kept_until < now() order by kept_until limit :limit for update skip locked
     ),
     kept as (
       update blobs set kept_until = now() + interval '${NEXT_LOOK}' from due
       where due.is_used and blobs.workspace_id = due.workspace_id and blobs.sha256 = due.sha256
     ),
     deleted as (
       delete from blobs using due
       where not due.is_used and blobs.workspace_id = due.workspace_id and blobs.sha256 = due.sha256
     ),
     unused as (
       insert into unused_objects (object_key) select object_key from due where not is_used and object_key is not null
     )
     select count(*)::int as looked_at from due`,
    { limit },
  );
  return Math.max(rows[0].looked_at, await deleteUnusedObjects(ctx, limit));
}

/** An object that could not be deleted is tried again after this time. Until then, it does not hold up the others. */
const NEXT_TRY = '1 hour';

/**
 * Deletes objects whose rows are gone, oldest first. If the process stops in between, another one continues from the
 * list.
 * @returns how many it tried to delete
 * @throws Error if Postgres or the object store is unavailable; the other objects on the list need not be tried then
 */
async function deleteUnusedObjects(
  { db, log, objects }: Pick<Context, 'db' | 'log' | 'objects'>,
  limit: number,
): Promise<number> {
  if (objects === null) return 0;
  const due = db('unused_objects').where('due_at', '<=', db.fn.now());
  const keys: string[] = await due.orderBy('due_at').limit(limit).pluck('object_key');
  const refusals: unknown[] = [];
  for (const key of keys) {
    try {
      await objects.delete(key);
      await db('unused_objects').where({ object_key: key }).delete();
    } catch (error) {
      // Postponed even if the store seems to be down, because it may be failing for this object only.
      await db.raw(`update unused_objects set due_at = now() + interval '${NEXT_TRY}' where object_key = ?`, [key]);
      if (isUnavailable(error)) throw error;
      refusals.push(error);
    }
  }
  if (refusals.length > 0) log.warn({ failed: refusals.length, error: refusals[0] }, 'objects_not_deleted');
  return keys.length;
}

/**
 * Warns if the object store still has content that is no longer needed, although BLOB_STORE no longer names it. It then
 * stays there.
 */
export async function warnOfUnreachableObjects({
  db,
  log,
  objects,
}: Pick<Context, 'db' | 'log' | 'objects'>): Promise<void> {
  if (objects !== null) return;
  const { rows } = await db.raw('select count(*)::int as unused from unused_objects');
  const { unused } = rows[0];
  if (unused > 0) log.warn({ unused }, 'objects_not_deletable');
}
