import type { Context } from '../context.js';

/** Content that an email still uses is checked again after this time. */
const NEXT_LOOK = '1 day';

/**
 * Deletes attachment content that no email uses any more. Checks up to `limit` due entries.
 * @returns how many it checked
 */
export async function deleteUnusedAttachments(
  { db, objects }: Pick<Context, 'db' | 'objects'>,
  limit: number,
): Promise<number> {
  const { rows } = await db.raw(
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
  if (objects !== null) await deleteObjects({ db, objects }, limit);
  return rows[0].looked_at;
}

/** An object is deleted after its row. If the process stops in between, another one continues from the list. */
async function deleteObjects(
  { db, objects }: Pick<Context, 'db'> & { readonly objects: NonNullable<Context['objects']> },
  limit: number,
): Promise<void> {
  const keys: string[] = await db('unused_objects').limit(limit).pluck('object_key');
  for (const key of keys) {
    await objects.delete(key);
    await db('unused_objects').where({ object_key: key }).delete();
  }
}
