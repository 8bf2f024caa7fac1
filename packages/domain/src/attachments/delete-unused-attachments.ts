import type { Context } from '@posthorn/platform';
import { deleteUnusedObjects } from './delete-unused-objects.js';

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
