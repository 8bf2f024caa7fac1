import type { EmailSummary, List } from '@posthorn/contract';
import type { EmailSearch } from './email-search';
import { getEmails } from './get-emails';

const DEFAULT_PAGE_SIZE = 20;
/** After this many requests, the user decides whether to search on. Together, they take about a second. */
const MAX_REQUESTS = 10;

/**
 * Reads one page of a text search. The API ends a page when its time is up, so filling one can
 * take several requests.
 */
export async function searchEmails(search: EmailSearch): Promise<List<EmailSummary>> {
  const size = Number(search.limit || DEFAULT_PAGE_SIZE);
  let page = await getEmails(search);
  for (let requests = 1; requests < MAX_REQUESTS && page.next_cursor && page.data.length < size; requests += 1) {
    const cursor = { [search.before ? 'before' : 'after']: page.next_cursor };
    const next = await getEmails({ ...search, ...cursor, limit: String(size - page.data.length) });
    const data = search.before ? [...next.data, ...page.data] : [...page.data, ...next.data];
    page = { ...next, data };
  }
  return page;
}
