import type { Knex } from 'knex';

/** Content that an email still has is looked at again after this time. */
const NEXT_LOOK = '1 day';

/**
 * Deletes the content of attachments that no email has any more, up to `limit` of what is due for a look.
 * @returns how many it looked at
 */
export async function deleteUnusedAttachments(db: Knex, limit: number): Promise<number> {
  const { rows } = await db.raw(
    `with due as materialized (
       select workspace_id, sha256, exists (
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
     )
     select count(*)::int as looked_at from due`,
    { limit },
  );
  return rows[0].looked_at;
}
