import type { Context } from '@posthorn/platform';
import { isUnavailable } from '@posthorn/platform/postgres';

/** An object that could not be deleted is tried again after this time. Until then, it does not hold up the others. */
const NEXT_TRY = '1 hour';

/**
 * Deletes objects whose rows are gone, oldest first. If the process stops in between, another one continues from the
 * list.
 * @returns how many it tried to delete
 * @throws Error if Postgres or the object store is unavailable; the other objects on the list need not be tried then
 */
export async function deleteUnusedObjects(
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
