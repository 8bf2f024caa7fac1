import type { Knex } from 'knex';
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
  const { limit, after, before } = paging;
  const query = db('emails')
    .select(summaryColumns)
    .where('workspace_id', workspaceId)
    .limit(limit + 1);
  narrow(query, workspaceId, filters);
  if (after !== null) query.where('id', '<', after);
  if (before !== null) query.where('id', '>', before);
  const rows = await query.orderBy('id', before === null ? 'desc' : 'asc');
  const found = rows.slice(0, limit).map(toSummary);
  return toPage(before === null ? found : found.reverse(), rows.length > limit, paging);
}

function narrow(query: Knex.QueryBuilder, workspaceId: string, filters: EmailFilters): void {
  const { status, to, from, tag, templateId, createdAfter, createdBefore } = filters;
  if (status !== undefined) query.where({ status });
  if (from !== undefined) query.where('from_address', from);
  if (tag !== undefined) query.whereRaw("tags <> '{}' and tags @> array[?]::text[]", [tag]);
  if (templateId !== undefined) query.where('template_id', templateId);
  if (createdAfter !== undefined) query.where('created_at', '>', createdAfter);
  if (createdBefore !== undefined) query.where('created_at', '<', createdBefore);
  if (to !== undefined) {
    query.whereRaw(
      'id in (select email_id from email_recipients where workspace_id = ? and lower(address) = lower(?))',
      [workspaceId, to],
    );
  }
}
