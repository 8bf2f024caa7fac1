import { invalid } from '@posthorn/domain/errors';
import type { Pagination } from '@posthorn/platform/postgres';
import type { ApiContext } from '../context/api-context.js';
import { pauseBetweenPieces } from '../request-steps/take-turn.js';
import type { PaginationQuery } from '../routing/lists.js';
import type { RouteResponse } from '../routing/route.js';

/** Larger than a page of the API, so that an export takes fewer queries. A page is still limited to 250 kB. */
const PAGE_SIZE = 500;

/** What an export contains. `readPage` returns the lines of one page, newest first. */
type CsvExport = {
  readonly columns: readonly string[];
  readonly readPage: (pagination: Pagination) => Promise<{ lines: string; nextCursor: string | null }>;
};

/**
 * Yields an export page by page, beginning with the names of the columns. Between two pages, it holds no connection to
 * Postgres, so a client can read as slowly as it likes. A workspace's large exports take turns with its other large
 * requests.
 * @param liveId the live workspace
 * @throws Refusal rate_limited at the first page, if too many exports of the workspace are running
 */
export async function* exportCsv(
  ctx: ApiContext,
  liveId: string,
  { columns, readPage }: CsvExport,
): AsyncGenerator<string> {
  const turn = await ctx.turns.exports.begin(liveId);
  try {
    let head = toCsvLine(columns);
    let after: string | null = null;
    do {
      const page = await readPage({ limit: PAGE_SIZE, after, before: null });
      const lines = head + page.lines;
      await pauseBetweenPieces(ctx, liveId, lines.length);
      if (lines !== '') yield lines;
      head = '';
      after = page.nextCursor;
    } while (after !== null);
  } finally {
    turn.end();
  }
}

export function buildCsvResponse(stream: AsyncIterator<string>, filename: string): RouteResponse {
  const headers = {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${filename}"`,
  };
  return { status: 200, stream, headers };
}

export function assertNoPageOfExport(query: PaginationQuery & { format?: 'csv' }, what: string): void {
  const pages = (['limit', 'after', 'before'] as const).filter((field) => query[field] !== undefined);
  const message = `cannot be combined with format=csv, which returns every matching ${what}; leave it out`;
  if (query.format === 'csv' && pages.length > 0) throw invalid(...pages.map((field) => ({ field, message })));
}

/**
 * A spreadsheet may run a cell that begins like this as a formula, even after spaces and invisible characters. Japanese
 * Excel also takes full-width and small signs. A cell that already has apostrophes in front of a formula gets one
 * more, so that `removeApostrophe` always returns the original text.
 */
const FORMULA = /^'*(?:[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-\u2212@＝＋－＠﹦﹢﹣﹫]|[\t\r\n])/u;

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/**
 * One line of CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets a leading apostrophe, which
 * spreadsheets do not show.
 */
export function toCsvLine(cells: readonly string[]): string {
  return `${cells.map(encodeCell).join(',')}\r\n`;
}

/** The text of a cell as it was before `toCsvLine` wrote it. */
export function removeApostrophe(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

function encodeCell(text: string): string {
  const cell = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
