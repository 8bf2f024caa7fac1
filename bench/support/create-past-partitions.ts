import { type Context, type Db, maintainPartitions } from '@posthorn/domain';

const TABLES = ['emails', 'email_contents', 'email_recipients', 'email_tags', 'delivery_attempts', 'events'];

/**
 * Partitions the empty tables as if workers had been running since the time in `since`. A new database has only one
 * partition for all past emails.
 * @param since the lowest id that will be stored
 */
export async function createPastPartitions(ctx: Context, db: Db, since: string): Promise<void> {
  for (const table of TABLES) {
    const { rows } = await db.raw(
      `select relname as name, reloptions as settings from pg_inherits join pg_class on pg_class.oid = inhrelid
       where inhparent = ?::regclass`,
      [table],
    );
    for (const { name } of rows) await db.raw('drop table ??', [name]);
    const settings = rows[0].settings ? ` with (${rows[0].settings})` : '';
    const create = (name: string, bounds: string) =>
      db.raw(`create table ?? partition of ?? for values ${bounds}${settings}`, [`${table}_${name}`, table]);
    await create('first', `from (minvalue) to ('${since}')`);
    await create('last', `from ('${since}') to (maxvalue)`);
  }
  await maintainPartitions(ctx, new Date());
}
