import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';

/** The queue entry comes last, so that no worker finds a copy that is not complete. */
const TABLES = ['emails', 'email_contents', 'email_recipients', 'deliveries'];

/** Stores `count` copies of an email, which is much faster than accepting them. @returns their ids */
export async function copyEmail({ db }: Pick<Context, 'db'>, id: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  for (const table of TABLES) {
    const key = table === 'emails' ? 'id' : 'email_id';
    await db.raw(
      `insert into ?? select (json_populate_record(original, json_build_object(?::text, copy))).*
       from ?? as original, unnest(?::uuid[]) as copy where original.?? = ?`,
      [table, key, table, ids, key, id],
    );
  }
  return ids;
}
