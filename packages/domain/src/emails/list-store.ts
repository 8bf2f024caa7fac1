import type { Knex } from 'knex';
import { MAX, NIL } from 'uuid';
import { firstIdAt } from '../ids.js';
import { type Page, type Paging, toPage } from '../paging.js';
import type { EmailSummary } from './email-record.js';
import type { EmailStatus } from './state.js';
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
  paging: Paging,
): Promise<Page<EmailSummary>> {
  const { limit, before } = paging;
  const query = db('emails')
    .select(summaryColumns.map((column) => `emails.${column}`))
    .limit(limit + 1);
  if (filters.to !== undefined || filters.tag !== undefined) search(query, workspaceId, filters, paging);
  else walk(query, workspaceId, filters, paging);
  between(query, filters);
  const rows = await query.orderBy('emails.id', directionOf(paging));
  const found = rows.slice(0, limit).map(toSummary);
  return toPage(before === null ? found : found.reverse(), rows.length > limit, paging);
}

/**
 * Along the index of the filter that finds the fewest. The page is bound and ordered by all columns of
 * that index, which no other index has in this order: with `workspace_id = ...` Postgres may walk the
 * ids of all workspaces instead, which for one that has been quiet means all that others sent since.
 */
function walk(query: Knex.QueryBuilder, workspaceId: string, filters: EmailFilters, paging: Paging): void {
  const [first, ...others] = equalities(filters);
  const columns: Equality[] = [['emails.workspace_id', workspaceId], ...(first ? [first] : [])];
  const names = columns.map(([name]) => name).join(', ');
  const values = columns.map(([, value]) => value);
  const row = `(${'?, '.repeat(values.length)}?)`;
  const { above, below } = idsOf(filters, paging);
  query.whereRaw(`(${names}, emails.id) > ${row} and (${names}, emails.id) < ${row}`, [
    ...[...values, above],
    ...[...values, below],
  ]);
  // The index of templates is of emails that have one.
  if (filters.templateId !== undefined) query.whereNotNull('emails.template_id');
  for (const [name, value] of others) query.where(name, value);
  for (const [name] of columns) query.orderBy(name, directionOf(paging));
}

/** By recipient or tag, along the index of either. */
function search(query: Knex.QueryBuilder, workspaceId: string, filters: EmailFilters, paging: Paging): void {
  const { to, tag } = filters;
  const { above, below } = idsOf(filters, paging);
  const within = (name: string) => query.where(name, '>', above).where(name, '<', below);
  within('emails.id').where('emails.workspace_id', workspaceId);
  for (const [name, value] of equalities(filters)) query.where(name, value);
  // Of equal columns an inequality narrows only the one that it names.
  if (tag !== undefined) {
    query
      .join('email_tags', 'email_tags.email_id', 'emails.id')
      .where({ 'email_tags.workspace_id': workspaceId, 'email_tags.tag': tag });
    within('email_tags.email_id');
  }
  if (to === undefined) return;
  // An email has an address once at most, whatever its case (dedupeRecipients): nothing is listed twice.
  query
    .join('email_recipients', 'email_recipients.email_id', 'emails.id')
    .where('email_recipients.workspace_id', workspaceId)
    .whereRaw('lower(email_recipients.address) = lower(?)', [to]);
  within('email_recipients.email_id');
}

function between(query: Knex.QueryBuilder, { createdAfter, createdBefore }: EmailFilters): void {
  if (createdAfter !== undefined) query.where('created_at', '>', createdAfter);
  if (createdBefore !== undefined) query.where('created_at', '<', createdBefore);
}

type Equality = readonly [column: string, value: string];

/** Columns that have an index with workspace and id, those first that find fewer. */
function equalities({ templateId, from, status }: EmailFilters): Equality[] {
  const wanted = [
    ['emails.template_id', templateId],
    ['emails.from_address', from],
    ['emails.status', status],
  ] as const;
  return wanted.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

function directionOf({ before }: Paging): 'asc' | 'desc' {
  return before === null ? 'desc' : 'asc';
}

/** Id and created_at are taken one after the other; a clock that was set meanwhile is allowed for. */
const CLOCK_SLACK_MS = 600_000;

/** The ids between which the page lies. */
function idsOf({ createdAfter, createdBefore }: EmailFilters, { after, before }: Paging) {
  const from = createdAfter ? firstIdAt(createdAfter.getTime() - CLOCK_SLACK_MS) : NIL;
  const to = createdBefore ? firstIdAt(createdBefore.getTime() + CLOCK_SLACK_MS) : MAX;
  return {
    above: before !== null && before > from ? before : from,
    below: after !== null && after < to ? after : to,
  };
}
