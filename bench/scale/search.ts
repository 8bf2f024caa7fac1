import { listEmails, searchEmails } from '@posthorn/domain/emails';
import type { Pagination } from '@posthorn/platform/postgres';
import { formatCount, newId } from '@posthorn/platform/values';
import { connectWithoutTimeouts, settleTables } from '../support/database.js';
import { median, medianWithRange } from '../support/figure.js';
import { fillStored } from '../support/fill-stored.js';
import { report } from '../support/report.js';
import { openStack, type Stack } from '../support/stack.js';
import type { Row } from '../support/table.js';
import { ROUNDS } from './settings.js';

/** How many emails one workspace has. The ratio compares the last number with the first. */
const SEARCHED = (process.env.SEARCHED ?? '10000,5000000').split(',').map(Number);
const READS = Number(process.env.READS ?? 20);
const FILL_BATCH = 250_000;
const SENDER = 'bench@posthorn.localhost';
const FIRST_PAGE: Pagination = { limit: 20, after: null, before: null };

const SEARCHES = [
  ['in every email', 'been SHIPPED'],
  ['in 1 of 20', 'team@'],
  ['in the oldest email only', 'jane1@example.com'],
  ['in no email', 'nothing like it'],
] as const;

type Search = { name: string; ms: number[]; slowestMs: number; pages: number; allMs: number };
type Size = { stored: number; searches: Search[] };

/**
 * Measures how long the first page of a search takes, and how many pages a client has to follow until the search has
 * looked at every email.
 */
export async function measureSearch(): Promise<void> {
  const stack = await openStack();
  const db = await connectWithoutTimeouts(stack.env.DATABASE_URL as string);
  const emails = { workspaceId: stack.workspaceId, from: SENDER, templateId: newId() };
  const sizes: Size[] = [];
  let filled = 0;
  for (const stored of SEARCHED) {
    for (; filled < stored; filled = Math.min(filled + FILL_BATCH, stored))
      await fillStored(db, emails, { first: filled + 1, last: Math.min(filled + FILL_BATCH, stored) });
    await settleTables(db);
    const searches: Search[] = [];
    for (const [name, text] of SEARCHES) searches.push(await measure(stack, name, text));
    sizes.push({ stored, searches });
  }
  await db.destroy();
  await stack.close();
  report('scale', 'search', {
    rows: toRows(sizes),
    settings: { SEARCHED: SEARCHED.join(','), READS, ROUNDS, ...stack.versions },
  });
}

async function measure({ ctx, workspaceId }: Stack, name: string, text: string): Promise<Search> {
  const page = (pagination = FIRST_PAGE) =>
    searchEmails(ctx.db, workspaceId, { filters: {}, search: { text, inSubjects: true } }, pagination);
  // Warms up the connection and the code.
  for (let read = 0; read < READS; read += 1) await listEmails(ctx.db, workspaceId, {}, FIRST_PAGE).then(() => page());
  const all: number[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) all.push(await timeReads(page));
  const followed = await followToEnd(page, text === 'been SHIPPED');
  return { name, ms: all.map(median), slowestMs: Math.max(...all.flat()), ...followed };
}

async function timeReads(page: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let read = 0; read < READS; read += 1) {
    const startedAt = performance.now();
    await page();
    times.push(performance.now() - startedAt);
  }
  return times;
}

/** Follows `nextCursor` to the end, or only to the first page with a match if nearly every page has one. */
async function followToEnd(
  page: (pagination: Pagination) => ReturnType<typeof searchEmails>,
  isCommon: boolean,
): Promise<{ pages: number; allMs: number }> {
  const startedAt = performance.now();
  let pages = 0;
  let after: string | null = null;
  do {
    const { nextCursor } = await page({ ...FIRST_PAGE, limit: 100, after });
    pages += 1;
    after = isCommon ? null : nextCursor;
  } while (after !== null);
  return { pages, allMs: performance.now() - startedAt };
}

function toRows(sizes: readonly Size[]): Row[] {
  return SEARCHES.map(([name]) => {
    const all = sizes.map(({ stored, searches }) => ({
      stored,
      ...(searches.find((search) => search.name === name) as Search),
    }));
    const columns = all.map(({ stored, ms, slowestMs, pages, allMs }) => {
      const size = formatCount(stored);
      return {
        [`first page, ms at ${size}`]: medianWithRange(ms, 1),
        [`slowest ms at ${size}`]: slowestMs.toFixed(1),
        [`pages to the end at ${size}`]: pages,
        [`s to the end at ${size}`]: (allMs / 1_000).toFixed(2),
      };
    });
    const ratio = median(all.at(-1)?.ms ?? []) / median(all[0]?.ms ?? []);
    return { text: name, ...Object.assign({}, ...columns), ratio: ratio.toFixed(2) };
  });
}
