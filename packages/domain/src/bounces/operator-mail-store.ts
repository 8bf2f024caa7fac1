import type { Mailbox } from '@posthorn/contract';
import { limits } from '@posthorn/domain/limits';
import { type ListPage, listColumns, listPageById, type Pagination } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';

/** Mail to a mailbox of the service that is no report about one of our emails. */
export type OperatorMail = {
  readonly id: string;
  readonly mailbox: Mailbox;
  /** The network that it came from: an IPv4 address or an IPv6 /64; null if it is not known. */
  readonly peer: string | null;
  /** The bytes of the whole message. */
  readonly size: number;
  /** The beginning of the message. */
  readonly raw: Buffer;
  readonly receivedAt: Date;
  readonly expiresAt: Date;
};

const COLUMNS = 'id mailbox peer size raw receivedAt expiresAt';

function selectKept(db: Knex): Knex.QueryBuilder {
  return db('feedback_reports')
    .select(listColumns('feedback_reports', COLUMNS))
    .whereNotNull('mailbox')
    .whereNull('email_id')
    .whereNull('due_at')
    .whereNotNull('raw');
}

/** One page of the mail that is kept for the operator, newest first. */
export async function listOperatorMail(db: Knex, pagination: Pagination): Promise<ListPage<OperatorMail>> {
  return listPageById(selectKept(db), pagination, (mail: OperatorMail) => mail);
}

export async function findOperatorMail(db: Knex, id: string): Promise<OperatorMail | null> {
  return (await selectKept(db).where({ id }).first()) ?? null;
}

/**
 * Deletes mail that is above the limit. The oldest mail of the network that has the most goes first, so a flood pushes
 * out itself and nothing else. Networks are as large as providers give them to a customer, an IPv4 /24 or an IPv6 /48;
 * otherwise, one customer with many /64 networks could push out everything.
 */
export async function deleteSurplusMail(trx: Knex): Promise<void> {
  await trx.raw(
    `with by_network as (
       select id, row_number() over (
         partition by network(set_masklen(peer, case family(peer) when 4 then 24 else 48 end)) order by id desc
       ) as nth
       from feedback_reports where mailbox is not null and email_id is null and due_at is null
     )
     delete from feedback_reports where id in (select id from by_network order by nth, id desc offset ?)`,
    [limits.operatorMails.max],
  );
}
