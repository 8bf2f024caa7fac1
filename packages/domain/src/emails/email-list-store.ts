import {
  inIndexOrder,
  type ListPage,
  type Pagination,
  type SizedRow,
  sizedPage,
  toPage,
} from '@posthorn/platform/postgres';
import type { Knex } from 'knex';
import type { EmailSummary } from './email.js';
import type { EmailFilters } from './email-filters.js';
import { applyOtherFilters, directionOf, idRangeOf, indexesFor, scanIndex } from './email-list-index.js';
import { type SummaryRow, toSummary } from './summary-row.js';
import { selectSummaries } from './summary-store.js';

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
  const { first, others } = indexesFor(workspaceId, filters);
  scanIndex(query, first, idRangeOf(filters, pagination), directionOf(pagination));
  applyOtherFilters(query, workspaceId, { filters, others });
  return inIndexOrder(db, (trx) => readPage(trx, query, pagination));
}

/** @param candidates summaries in the order of the page, and one more if another page follows */
export async function readPage(
  trx: Knex.Transaction,
  candidates: Knex.QueryBuilder,
  pagination: Pagination,
): Promise<ListPage<EmailSummary>> {
  const page = { limit: pagination.limit, order: `id ${directionOf(pagination)}`, bytes: BYTES };
  const rows: Array<SummaryRow & SizedRow> = await sizedPage(trx, candidates, page);
  const emails = rows.map(toSummary);
  const hasMore = (rows[0]?.found ?? 0) > rows.length;
  return toPage(pagination.before === null ? emails : emails.toReversed(), hasMore, pagination);
}
