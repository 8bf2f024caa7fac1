import type { Db } from '@posthorn/platform/postgres';

/** @returns a function that maps the name of an index on a partition to the name of that index on the whole table */
export async function partitionedIndexes(db: Db): Promise<(name: string) => string> {
  const { rows } = await db.raw(
    `select part.relname as part, whole.relname as whole
     from pg_inherits join pg_class as part on part.oid = inhrelid join pg_class as whole on whole.oid = inhparent
     where whole.relkind = 'I'`,
  );
  const names = new Map<string, string>(rows.map((row: { part: string; whole: string }) => [row.part, row.whole]));
  return (name) => names.get(name) ?? name;
}
