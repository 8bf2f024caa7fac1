import type { EmailSummary as EmailSummaryJson } from '@posthorn/contract';
import type { Caller, Mode } from '@posthorn/domain';
import { visibleTo } from '../access.js';
import type { ApiContext } from '../context.js';
import { csvLine } from '../csv-line.js';
import { pauseBetweenPieces } from '../load-limits/take-turn.js';
import type { ReadPage } from './read-list.js';
import { viewSummary } from './view.js';

/** The columns of an export, in this order. */
export const exportColumns = [
  'id',
  'status',
  'from_',
  'to',
  'subject',
  'template_id',
  'tags',
  'created_at',
  'scheduled_at',
] as const satisfies ReadonlyArray<keyof EmailSummaryJson>;

/** Larger than a page of the API, so that an export takes fewer queries. A page is still limited to 250 kB. */
const PAGE_SIZE = 500;

/**
 * Yields an export page by page, beginning with the names of the columns. Between two pages, it holds no connection to
 * Postgres, so a client can read as slowly as it likes. A workspace's large exports take turns with its other large
 * requests.
 * @throws Refusal rate_limited at the first page, if too many exports of the workspace are running
 */
export async function* exportEmails(
  ctx: ApiContext,
  caller: Caller,
  { readPage, mode }: { readPage: ReadPage; mode: Mode },
): AsyncGenerator<string> {
  const done = ctx.exports.begin(caller.workspace.liveId);
  try {
    let head = csvLine(exportColumns);
    let after: string | null = null;
    do {
      const { rows, nextCursor } = await readPage({ limit: PAGE_SIZE, after, before: null });
      const lines = head + rows.map((email) => toLine(visibleTo(caller, viewSummary(email, mode)))).join('');
      await pauseBetweenPieces(ctx, caller.workspace.liveId, lines.length);
      if (lines !== '') yield lines;
      head = '';
      after = nextCursor;
    } while (after !== null);
  } finally {
    done();
  }
}

function toLine(email: EmailSummaryJson): string {
  const { to, tags } = email;
  const cells = { ...email, to: to.join('; '), tags: tags.map(({ name, value }) => `${name}:${value}`).join('; ') };
  return csvLine(exportColumns.map((column) => cells[column] ?? ''));
}
