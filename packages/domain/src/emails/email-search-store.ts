import { inIndexOrder, type ListPage, type Pagination } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';
import {
  applyOtherFilters,
  chooseIndexes,
  type EmailFilters,
  filterByIds,
  readPage,
  scanIndex,
  toDirection,
  toIdRange,
} from './email-list-store.js';
import { type EmailSummary, selectSummaries } from './email-store.js';

/** Part of a recipient or of the subject; case is ignored. */
type SearchText = { readonly text: string; readonly inSubjects: boolean };

/** @property budgetMs how long to look for matches before the page ends; at least one step is always taken */
type EmailSearch = {
  readonly filters: EmailFilters;
  readonly search: SearchText;
  readonly budgetMs?: number;
};

/** How long one page may look for matches. The rest of the time that a search may take is left for reading the page. */
const BUDGET_MS = 30;
/** How many emails the first step reads. Later steps read more, as long as the budget lasts. */
const FIRST_STEP = 500;
const MAX_STEP_EMAILS = 8_000;

/**
 * JIT compilation would take longer than the search. The other two settings keep Postgres from reading every tag or
 * recipient of a workspace to join them with the few thousand emails of a step.
 */
const SETTINGS = 'set local jit = off; set local enable_hashjoin = off; set local enable_mergejoin = off';

/** What one step has read. `edge` is the last email that it looked at; null if there was none. */
type Step = { scanned: number; edge: string | null; found: string[] };

/**
 * One page of the emails that contain the text, newest first. Reads emails in the order of the list until the page is
 * full or the time is up, so it takes about as long in a large workspace as in a small one (docs/decisions/0018). If
 * the time is up first, the page has fewer emails than it could, or none, and `nextCursor` continues after the last
 * email that was read.
 */
export function searchEmails(
  db: Knex,
  workspaceId: string,
  { filters, search, budgetMs = BUDGET_MS }: EmailSearch,
  pagination: Pagination,
): Promise<ListPage<EmailSummary>> {
  return inIndexOrder(db, async (trx) => {
    await trx.raw(SETTINGS);
    const { found, edge } = await findMatches(trx, workspaceId, { filters, search, pagination, budgetMs });
    const query = selectSummaries(trx)
      .whereRaw('emails.workspace_id = ? and emails.id = any(?::uuid[])', [workspaceId, found])
      .orderBy('emails.id', toDirection(pagination));
    const page = await readPage(trx, query, pagination);
    return { rows: page.rows, nextCursor: page.nextCursor ?? (found.length > pagination.limit ? null : edge) };
  });
}

type Search = Required<EmailSearch> & { readonly pagination: Pagination };

/**
 * @returns ids in the order of the page, at most one more than the page holds; and where the next page continues, null
 *   if every email has been read
 */
async function findMatches(
  trx: Knex.Transaction,
  workspaceId: string,
  { filters, search, pagination, budgetMs }: Search,
): Promise<{ found: string[]; edge: string | null }> {
  const most = pagination.limit + 1;
  const found: string[] = [];
  const startedAt = performance.now();
  let position = pagination;
  for (let size = FIRST_STEP; ; size = Math.min(2 * size, MAX_STEP_EMAILS)) {
    const stepStartedAt = performance.now();
    const step = await takeStep(trx, workspaceId, { filters, search, pagination: position, size, most });
    found.push(...step.found);
    if (found.length >= most || step.scanned < size) return { found: found.slice(0, most), edge: null };
    position = { ...pagination, [pagination.before === null ? 'after' : 'before']: step.edge };
    const now = performance.now();
    const nextStepMs = 2 * (now - stepStartedAt);
    if (now - startedAt + nextStepMs > budgetMs) return { found, edge: step.edge };
  }
}

type StepBounds = Omit<Search, 'budgetMs'> & { size: number; most: number };

/** Reads the next `size` emails from an index, or from the ids to find, and looks for the text in them. */
async function takeStep(
  trx: Knex.Transaction,
  workspaceId: string,
  { filters, search, pagination, size, most }: StepBounds,
): Promise<Step> {
  const direction = toDirection(pagination);
  const { first, others } = chooseIndexes(workspaceId, filters);
  const scanned = trx('emails').select(COLUMNS).limit(size);
  scanIndex(scanned, first, toIdRange(filters, pagination), direction);
  filterByIds(scanned, workspaceId, filters);
  const found = trx.from('scanned as emails').select('emails.id').orderBy('emails.id', direction).limit(most);
  // Only the filter by status looks at the queue.
  if (filters.status !== undefined) found.leftJoin('deliveries', 'deliveries.email_id', 'emails.id');
  applyOtherFilters(found, workspaceId, { filters, others });
  matchText(found, search);
  // Postgres 17 has no max() for uuids. As text, they have the same order.
  const edge = direction === 'desc' ? 'min(id::text)' : 'max(id::text)';
  const [step] = await trx
    .withMaterialized('scanned', scanned)
    .from('scanned')
    .select(trx.raw(`count(*)::int as scanned, ${edge} as edge`), trx.raw('array(?) as found', [found]));
  return step as Step;
}

const COLUMNS = ['id', 'workspace_id', 'domain_id', 'status', 'from_address', 'template_id', 'created_at']
  .concat('subject', 'to', 'recipient_count')
  .map((column) => `emails.${column}`);

/**
 * `to` holds the addresses of To with their names. Only emails with Cc or Bcc have more recipients than that. With
 * `exists`, Postgres may read all recipients of all workspaces instead of those of one email.
 */
function matchText(query: Knex.QueryBuilder, { text, inSubjects }: SearchText): void {
  const to = `array_to_string(emails."to", E'\\n')`;
  const searched = inSubjects ? `emails.subject || E'\\n' || ${to}` : to;
  query.whereRaw(
    `(strpos(lower(${searched}), lower(?)) > 0
      or emails.recipient_count > cardinality(emails."to") and (
        select bool_or(strpos(lower(email_recipients.address), lower(?)) > 0)
        from email_recipients where email_recipients.email_id = emails.id
      ))`,
    [text, text],
  );
}
