import { maintainPartitions } from '@posthorn/domain/retention';
import type { Context } from '@posthorn/platform';
import type { Db } from '@posthorn/platform/postgres';

/** How many events a transaction writes. They share a position, as those of one group of requests do. */
const EVENTS_PER_TRANSACTION = 20;
/** Of two transactions, one accepts emails and the other records their results. */
const TRANSACTIONS_PER_EMAIL = 2;
const OTHER_WORKSPACES = 500;
/** How many pairs of transactions the small workspace has, spread evenly over the log. */
const FEW_PAIRS = 5;
const BOUNCED_ONE_IN = 100;

/** @property many has half of all events. @property few has 200, however many there are in all */
export type EventOwners = { readonly many: string; readonly few: string };

/** The whole log: how many events it has, and from when on they were created, evenly until now. */
export type EventLog = { readonly events: number; readonly since: Date; readonly everyUs: number };

const FILL_TRANSACTIONS = 10_000;

/** The position at a share of the log, from 0 to 1. */
export function getPosition(share: number, { events }: EventLog): number {
  return Math.floor((events / EVENTS_PER_TRANSACTION) * share) + 1;
}

/** The id of the n-th email, counted from 0. */
export function getStream(n: number, { since, everyUs }: EventLog): string {
  const ms = Math.floor(since.getTime() + (n * everyUs) / 1_000)
    .toString(16)
    .padStart(12, '0');
  const rest = n.toString(16).padStart(15, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8${rest.slice(0, 3)}-${rest.slice(3)}`;
}

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

/**
 * Fills the empty log. Positions count from 1, one for each transaction. The rows are what the product would have
 * written: for each email, one event when it was accepted and one when it was sent or bounced.
 */
export async function fillEvents(db: Db, owners: EventOwners, { events, since, everyUs }: EventLog): Promise<void> {
  const transactions = events / EVENTS_PER_TRANSACTION;
  const fewEvery = transactions / TRANSACTIONS_PER_EMAIL / FEW_PAIRS;
  for (let first = 0; first < transactions; first += FILL_TRANSACTIONS) {
    const last = Math.min(first + FILL_TRANSACTIONS, transactions) - 1;
    await db.transaction(async (trx) => {
      await trx.raw('set local synchronous_commit = off');
      await trx.raw(FILL, { ...owners, first, last, since, everyUs, fewEvery, ...SHAPE });
    });
  }
}

const SHAPE = { perTransaction: EVENTS_PER_TRANSACTION, others: OTHER_WORKSPACES, bouncedOneIn: BOUNCED_ONE_IN };

/** As in a UUIDv7, the first 48 bits of an email's id are the time in milliseconds. */
const FILL = `
  insert into events (id, stream_id, sequence, workspace_id, position, type, recipient, detail, created_at)
  select gen_random_uuid(), stream_id, 1 + t % 2,
    case
      when pair % :fewEvery::bigint = 1 then :few::uuid
      when pair % 2 = 0 then :many::uuid
      else md5('workspace ' || pair % :others::int)::uuid
    end,
    t + 1,
    case when t % 2 = 0 then 'email.accepted' when email % :bouncedOneIn::int = 0 then 'email.bounced' else 'email.sent' end,
    case when t % 2 = 1 then 'jane' || email || '@example.com' end,
    case when t % 2 = 1 then '250 2.0.0 Ok: queued as 4f7A1b2C3d' end,
    at + (t % 2) * interval '1 second'
  from generate_series(:first::bigint, :last::bigint) as t,
    generate_series(0, :perTransaction::int - 1) as i,
    lateral (select t / 2 as pair, t / 2 * :perTransaction + i as email) as numbered,
    lateral (select :since::timestamptz + email * :everyUs::bigint * interval '1 microsecond' as at) as clock,
    lateral (
      select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7000' || '8'
        || lpad(to_hex(email), 15, '0'))::uuid as stream_id
    ) as named`;
