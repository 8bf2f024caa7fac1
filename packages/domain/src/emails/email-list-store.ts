import type { EmailStatus } from '@posthorn/contract';
import { inIndexOrder, type ListPage, type Pagination, readSizedPage, toPage } from '@posthorn/platform/postgres';
import { toFirstId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import { MAX, NIL } from 'uuid';
import { type EmailSummary, selectSummaries } from './email-store.js';

/** The filters of the list. All but the last five have their own index. */
export type EmailFilters = {
  status?: EmailStatus;
  /** A recipient's address, case-insensitive. */
  to?: string;
  from?: string;
  /** `name:value` */
  tag?: string;
  templateId?: string;
  createdAfter?: Date;
  createdBefore?: Date;
  /** Only these emails. */
  ids?: readonly string[];
  /** The domain after the @ of the sender. */
  senderHost?: string;
  /** Only emails from these sending domains. */
  domainIds?: readonly string[];
};

/** The size of an email's tags, addresses and subject, which can reach 55 kB. */
const BYTES = `octet_length(tags::text) + octet_length("to"::text) + octet_length(subject)`;

/**
 * One page, newest first. Ids sort by time, so it takes one index lookup to continue at a cursor. The page ends early
 * if its emails have a lot of tags or recipients.
 */
export function listEmails(
  db: Knex,
  workspaceId: string,
  filters: EmailFilters,
  pagination: Pagination,
): Promise<ListPage<EmailSummary>> {
  const query = selectSummaries(db).limit(pagination.limit + 1);
  const { first, others } = chooseIndexes(workspaceId, filters);
  scanIndex(query, first, toIdRange(filters, pagination), toDirection(pagination));
  applyOtherFilters(query, workspaceId, { filters, others });
  return inIndexOrder(db, (trx) => readPage(trx, query, pagination));
}

/** @param candidates summaries in the order of the page, and one more if another page follows */
export async function readPage(
  trx: Knex.Transaction,
  candidates: Knex.QueryBuilder,
  pagination: Pagination,
): Promise<ListPage<EmailSummary>> {
  const page = { limit: pagination.limit, order: `id ${toDirection(pagination)}`, bytes: BYTES };
  const { rows, hasMore } = await readSizedPage<EmailSummary>(trx, candidates, page);
  return toPage(pagination.before === null ? rows : rows.toReversed(), hasMore, pagination);
}

/** An index on the workspace, the column of one filter, and the id. It yields matching emails in list order. */
type ListIndex = {
  readonly table: 'emails' | 'email_recipients' | 'email_tags';
  /** The columns of the index without the id, and the values to match. */
  readonly columns: ReadonlyArray<readonly [column: string, value: string]>;
};

/**
 * The indexes for these filters. The first one probably matches the fewest emails. If the ids are known, no index
 * matches fewer.
 */
export function chooseIndexes(workspaceId: string, filters: EmailFilters): { first: ListIndex; others: ListIndex[] } {
  const { to, tag, templateId, from, status, ids } = filters;
  const candidates = [
    // Each address occurs only once in an email, whatever its case (see dedupeRecipients), so no email is listed twice.
    ['email_recipients', 'lower(email_recipients.address)', to?.toLowerCase()],
    ['email_tags', 'email_tags.tag', tag],
    ['emails', 'emails.template_id', templateId],
    ['emails', 'emails.from_address', from],
    ['emails', 'emails.status', status === 'sending' ? undefined : status],
  ] as const;
  const indexes = candidates.flatMap(([table, column, value]): ListIndex[] =>
    value === undefined
      ? []
      : [
          {
            table,
            columns: [
              [`${table}.workspace_id`, workspaceId],
              [column, value],
            ],
          },
        ],
  );
  const byId: ListIndex = { table: 'emails', columns: [['emails.workspace_id', workspaceId]] };
  const [first = byId, ...others] = ids === undefined ? indexes : [byId, ...indexes];
  return { first, others };
}

/**
 * Bounds and orders the page by all columns of one index, so that Postgres must use it: no other index has them in this
 * order. With `workspace_id = ...`, Postgres may scan the ids of all workspaces instead. For a workspace that has not
 * sent for a while, it would then read every email that other workspaces have sent since.
 */
export function scanIndex(
  query: Knex.QueryBuilder,
  { table, columns }: ListIndex,
  { above, below }: { above: string; below: string },
  direction: 'asc' | 'desc',
): void {
  const id = toIdColumn(table);
  const names = [...columns.map(([name]) => name), id];
  const values = columns.map(([, value]) => value);
  const row = `(${names.map(() => '?').join(', ')})`;
  query.whereRaw(`(${names.join(', ')}) > ${row} and (${names.join(', ')}) < ${row}`, [
    ...[...values, above],
    ...[...values, below],
  ]);
  query.orderByRaw(names.map((name) => `${name} ${direction}`).join(', '));
  if (table === 'emails') skipPartitions(query, above, below);
  if (table !== 'emails')
    query.join(table, (join) => join.on(id, 'emails.id').on(`${table}.workspace_id`, 'emails.workspace_id'));
  // The index on template_id contains only emails with a template.
  if (names.includes('emails.template_id')) query.whereNotNull('emails.template_id');
}

/** Postgres cannot tell from a row comparison which partitions it can skip. */
function skipPartitions(query: Knex.QueryBuilder, above: string, below: string): void {
  if (above !== NIL) query.where('emails.id', '>', above);
  if (below !== MAX) query.where('emails.id', '<', below);
}

/** Applies what the scanned index does not: the filters of other indexes, and those without an index. */
export function applyOtherFilters(
  query: Knex.QueryBuilder,
  workspaceId: string,
  { filters, others }: { filters: EmailFilters; others: readonly ListIndex[] },
): void {
  for (const other of others) applyFilter(query, other);
  filterByLease(query, workspaceId, filters);
  filterByTime(query, filters);
  filterByIds(query, workspaceId, filters);
}

function applyFilter(query: Knex.QueryBuilder, { table, columns }: ListIndex): void {
  const conditions = columns.map(([name]) => `${name} = ?`).join(' and ');
  const values = columns.map(([, value]) => value);
  if (table === 'emails') query.whereRaw(conditions, values);
  else query.whereRaw(`exists (select from ${table} where ${conditions} and ${toIdColumn(table)} = emails.id)`, values);
}

/**
 * An email that is being sent still has the status from before the claim. There are only a few such emails, so a list
 * of them does not scan an index in order. Instead, the array makes Postgres look up each email by its id.
 */
function filterByLease(query: Knex.QueryBuilder, workspaceId: string, { status }: EmailFilters): void {
  if (status === undefined) return;
  if (status !== 'sending') query.whereNull('deliveries.lease_until');
  else
    query.whereRaw(
      `emails.workspace_id = ? and emails.id = any(array(
         select email_id from deliveries where lease_until is not null and workspace_id = ?
       ))`,
      [workspaceId, workspaceId],
    );
}

/** As with emails that are being sent, the array makes Postgres look up each email. */
export function filterByIds(
  query: Knex.QueryBuilder,
  workspaceId: string,
  { ids, senderHost, domainIds }: EmailFilters,
): void {
  if (ids !== undefined)
    query.whereRaw('emails.workspace_id = ? and emails.id = any(?::uuid[])', [workspaceId, [...ids]]);
  if (senderHost !== undefined)
    query.whereRaw("lower(split_part(emails.from_address, '@', -1)) = lower(?)", [senderHost]);
  if (domainIds !== undefined) query.whereRaw('emails.domain_id = any(?::uuid[])', [[...domainIds]]);
}

function toIdColumn(table: ListIndex['table']): string {
  return table === 'emails' ? 'emails.id' : `${table}.email_id`;
}

function filterByTime(query: Knex.QueryBuilder, { createdAfter, createdBefore }: EmailFilters): void {
  if (createdAfter !== undefined) query.where('created_at', '>', createdAfter);
  if (createdBefore !== undefined) query.where('created_at', '<', createdBefore);
}

export function toDirection({ before }: Pagination): 'asc' | 'desc' {
  return before === null ? 'desc' : 'asc';
}

/**
 * The id and created_at of an email are generated one after the other. If the clock is set back in between, ids keep
 * the old time until the clock has caught up. To allow for that, the range of ids is widened by this much. As a result,
 * a page may read emails from this extra span and discard all of them.
 */
const CLOCK_SLACK_MS = 10_000;

/** The ids on the page are between these two. */
export function toIdRange({ createdAfter, createdBefore }: EmailFilters, { after, before }: Pagination) {
  const from = createdAfter ? toFirstId(createdAfter.getTime() - CLOCK_SLACK_MS) : NIL;
  const to = createdBefore ? toFirstId(createdBefore.getTime() + CLOCK_SLACK_MS) : MAX;
  return {
    above: before !== null && before > from ? before : from,
    below: after !== null && after < to ? after : to,
  };
}
