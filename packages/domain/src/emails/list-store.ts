import type { Knex } from 'knex';
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
    .where('emails.workspace_id', workspaceId)
    .limit(limit + 1);
  narrow(query, workspaceId, filters);
  // Of equal columns an inequality narrows only the one that it names.
  const ids = filters.to === undefined ? ['emails.id'] : ['emails.id', 'email_recipients.email_id'];
  for (const id of ids) bound(query, id, filters, paging);
  const rows = await query.orderBy('emails.id', before === null ? 'desc' : 'asc');
  const found = rows.slice(0, limit).map(toSummary);
  return toPage(before === null ? found : found.reverse(), rows.length > limit, paging);
}

function narrow(query: Knex.QueryBuilder, workspaceId: string, filters: EmailFilters): void {
  const { status, to, from, tag, templateId, createdAfter, createdBefore } = filters;
  if (status !== undefined) query.where('emails.status', status);
  if (from !== undefined) query.where('from_address', from);
  if (tag !== undefined) query.whereRaw("tags <> '{}' and tags @> array[?]::text[]", [tag]);
  if (templateId !== undefined) query.where('template_id', templateId);
  if (createdAfter !== undefined) query.where('created_at', '>', createdAfter);
  if (createdBefore !== undefined) query.where('created_at', '<', createdBefore);
  if (to !== undefined) {
    // An email has an address once at most, whatever its case (dedupeRecipients): nothing is listed twice.
    query
      .join('email_recipients', 'email_recipients.email_id', 'emails.id')
      .where('email_recipients.workspace_id', workspaceId)
      .whereRaw('lower(email_recipients.address) = lower(?)', [to]);
  }
}

/** Id and created_at are taken one after the other; a clock that was set meanwhile is allowed for. */
const CLOCK_SLACK_MS = 600_000;

/** Where in the order of ids the page may begin and end. */
function bound(query: Knex.QueryBuilder, id: string, filters: EmailFilters, { after, before }: Paging): void {
  const { createdAfter, createdBefore } = filters;
  if (after !== null) query.where(id, '<', after);
  if (before !== null) query.where(id, '>', before);
  if (createdAfter !== undefined) query.where(id, '>', firstIdAt(createdAfter.getTime() - CLOCK_SLACK_MS));
  if (createdBefore !== undefined) query.where(id, '<', firstIdAt(createdBefore.getTime() + CLOCK_SLACK_MS));
}
