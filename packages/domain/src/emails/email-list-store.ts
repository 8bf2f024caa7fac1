import type { Knex } from 'knex';
import { MAX, NIL } from 'uuid';
import { firstIdAt } from '../ids.js';
import { type ListPage, type Pagination, toPage } from '../list-page.js';
import type { EmailSummary } from './email.js';
import type { EmailStatus } from './email-status.js';
import { summaryColumns, toSummary } from './summary-row.js';

/** What a list may be narrowed by; each has an index of its own. */
export type EmailFilters = {
  status?: EmailStatus;
  /** A recipient's address, compared without case. */
  to?: string;
  from?: string;
  /** `name:value` */
  tag?: string;
  templateId?: string;
  createdAfter?: Date;
  createdBefore?: Date;
};

/** One page, newest first. The id is the time order, so every cursor is one index look-up. */
export async function listEmails(
  db: Knex,
  workspaceId: string,
  filters: EmailFilters,
  pagination: Pagination,
): Promise<ListPage<EmailSummary>> {
  const { limit, before } = pagination;
  const query = db('emails')
    .select(summaryColumns.map((column) => `emails.${column}`))
    .limit(limit + 1);
  const { first, others } = indexesFor(workspaceId, filters);
  walk(query, first, idsOf(filters, pagination), directionOf(pagination));
  for (const other of others) narrow(query, other);
  between(query, filters);
  const rows = await query;
  const found = rows.slice(0, limit).map(toSummary);
  return toPage(before === null ? found : found.reverse(), rows.length > limit, pagination);
}

/** An index of workspace, what a filter asks for, and id: it has what the filter finds in the order of lists. */
type ListIndex = {
  readonly table: 'emails' | 'email_recipients' | 'email_tags';
  /** Its columns but for the id, and what they have to be. */
  readonly columns: ReadonlyArray<readonly [column: string, value: string]>;
};

/** Those that the filters ask for, first the one that is likely to find the fewest. */
function indexesFor(workspaceId: string, filters: EmailFilters): { first: ListIndex; others: ListIndex[] } {
  const { to, tag, templateId, from, status } = filters;
  const wanted = [
    // An email has an address once at most, whatever its case (dedupeRecipients): nothing is listed twice.
    ['email_recipients', 'lower(email_recipients.address)', to?.toLowerCase()],
    ['email_tags', 'email_tags.tag', tag],
    ['emails', 'emails.template_id', templateId],
    ['emails', 'emails.from_address', from],
    ['emails', 'emails.status', status],
  ] as const;
  const indexes = wanted.flatMap(([table, column, value]): ListIndex[] =>
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
  const [first, ...others] = indexes;
  return { first: first ?? { table: 'emails', columns: [['emails.workspace_id', workspaceId]] }, others };
}

/**
 * Along one index. The page is bound and ordered by all columns of it, which no other index has in this
 * order: with `workspace_id = ...` Postgres may walk the ids of all workspaces instead, which for one that
 * has been quiet means all that others sent since.
 */
function walk(
  query: Knex.QueryBuilder,
  { table, columns }: ListIndex,
  { above, below }: { above: string; below: string },
  direction: 'asc' | 'desc',
): void {
  const id = idOf(table);
  const names = [...columns.map(([name]) => name), id];
  const values = columns.map(([, value]) => value);
  const row = `(${names.map(() => '?').join(', ')})`;
  query.whereRaw(`(${names.join(', ')}) > ${row} and (${names.join(', ')}) < ${row}`, [
    ...[...values, above],
    ...[...values, below],
  ]);
  query.orderByRaw(names.map((name) => `${name} ${direction}`).join(', '));
  if (table !== 'emails') query.join(table, id, 'emails.id');
  // The index of templates is of emails that have one.
  if (names.includes('emails.template_id')) query.whereNotNull('emails.template_id');
}

/** What else the emails have to be. */
function narrow(query: Knex.QueryBuilder, { table, columns }: ListIndex): void {
  const conditions = columns.map(([name]) => `${name} = ?`).join(' and ');
  const values = columns.map(([, value]) => value);
  if (table === 'emails') query.whereRaw(conditions, values);
  else query.whereRaw(`exists (select from ${table} where ${conditions} and ${idOf(table)} = emails.id)`, values);
}

function idOf(table: ListIndex['table']): string {
  return table === 'emails' ? 'emails.id' : `${table}.email_id`;
}

function between(query: Knex.QueryBuilder, { createdAfter, createdBefore }: EmailFilters): void {
  if (createdAfter !== undefined) query.where('created_at', '>', createdAfter);
  if (createdBefore !== undefined) query.where('created_at', '<', createdBefore);
}

function directionOf({ before }: Pagination): 'asc' | 'desc' {
  return before === null ? 'desc' : 'asc';
}

/**
 * Id and created_at are taken one after the other; a clock that is set back meanwhile, by so much, is allowed for:
 * ids stand still until it has caught up. All mail of this time may be looked through for a page to begin.
 */
const CLOCK_SLACK_MS = 10_000;

/** The ids between which the page lies. */
function idsOf({ createdAfter, createdBefore }: EmailFilters, { after, before }: Pagination) {
  const from = createdAfter ? firstIdAt(createdAfter.getTime() - CLOCK_SLACK_MS) : NIL;
  const to = createdBefore ? firstIdAt(createdBefore.getTime() + CLOCK_SLACK_MS) : MAX;
  return {
    above: before !== null && before > from ? before : from,
    below: after !== null && after < to ? after : to,
  };
}
