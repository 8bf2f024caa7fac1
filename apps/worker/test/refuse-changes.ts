import type { Db } from '@posthorn/platform/postgres';

/**
 * Makes Postgres refuse some changes, as it does for a value that it cannot store.
 * @param change such as `update on deliveries`
 * @param condition an SQL condition on the rows `new` and `old`
 * @param sqlState the SQLSTATE of the error
 */
export async function refuseChanges(
  db: Db,
  change: string,
  { condition, sqlState = '22003' }: { condition: string; sqlState?: string },
): Promise<void> {
  await db.raw(`
    create function refuse() returns trigger language plpgsql as $$
    begin raise exception using errcode = '${sqlState}'; end $$;
    create trigger refuse before ${change} for each row when (${condition}) execute function refuse()`);
}

/** Ends `refuseChanges`. */
export async function allowChanges(db: Db): Promise<void> {
  await db.raw('drop function refuse cascade');
}
