import { type EmailFilters, findEmail, listEmails } from '@posthorn/domain/emails';
import { reportUsage } from '@posthorn/domain/workspaces';
import type { Db, Pagination } from '@posthorn/platform/postgres';
import { formatCount, newId } from '@posthorn/platform/values';
import { bytesPerEmail, connectWithoutTimeouts, settleTables } from '../support/database.js';
import { median, medianWithRange } from '../support/figure.js';
import { fillStored, type StoredEmails, storedAt, storedId } from '../support/fill-stored.js';
import { report } from '../support/report.js';
import { openStack, type Stack } from '../support/stack.js';
import type { Row } from '../support/table.js';
import { measureProductBytes } from './product-bytes.js';
import { ROUNDS } from './settings.js';

/** How many emails are stored. The ratios compare the last number with the first. */
const STORED = (process.env.STORED ?? '10000,5000000').split(',').map(Number);
const READS = Number(process.env.READS ?? 40);
const WARM_UP_MS = 10_000;
/** The time limit for repeating one read in a round. */
const MAX_READ_MS = 2_000;
const FILL_BATCH = 250_000;
const SENDER = 'bench@posthorn.localhost';
const TEMPLATE_ID = newId();

type Read = { name: string; run: () => Promise<unknown> };
/** `ms` contains the mean of each round; `postgresUs` is the CPU time of Postgres per read. */
type MeasuredRead = { name: string; ms: number[]; postgresUs: number };
type SizeResult = { stored: number; bytes: number; reads: MeasuredRead[] };

/** Varies how many emails are stored. Measures reading, and disk space per email. */
export async function measureStored(): Promise<void> {
  const stack = await openStack();
  const db = await connectWithoutTimeouts(stack.env.DATABASE_URL as string);
  const productBytes = await measureProductBytes(stack, db);
  const sizes: SizeResult[] = [];
  const emails = { workspaceId: stack.workspaceId, from: SENDER, templateId: TEMPLATE_ID };
  for (const [index, stored] of STORED.entries()) {
    await fill(db, emails, { first: (STORED[index - 1] ?? 0) + 1, last: stored });
    await settleTables(db);
    sizes.push({ stored, bytes: await bytesPerEmail(db), reads: await measure(stack, listReads(stack, stored)) });
  }
  await db.destroy();
  await stack.close();
  report('scale', 'stored', {
    rows: toRows(sizes),
    ratios: {
      ...Object.fromEntries(sizes.map(({ stored, bytes }) => [`B/email at ${stored}`, Math.round(bytes)])),
      'B/email, written by the product': Math.round(productBytes),
    },
    settings: { STORED: STORED.join(','), READS, ROUNDS, ...stack.versions },
  });
}

async function fill(db: Db, emails: StoredEmails, { first, last }: { first: number; last: number }): Promise<void> {
  for (let from = first; from <= last; from += FILL_BATCH)
    await fillStored(db, emails, { first: from, last: Math.min(from + FILL_BATCH - 1, last) });
}

function toRows(sizes: readonly SizeResult[]): Row[] {
  return (sizes[0]?.reads ?? []).map(({ name }) => {
    const all = sizes.map(({ stored, reads }) => ({ stored, ...findRead(reads, name) }));
    const columns = all.map(({ stored, ms, postgresUs }) => {
      const size = formatCount(stored);
      return { [`ms at ${size}`]: medianWithRange(ms, 2), [`Postgres us at ${size}`]: Math.round(postgresUs) };
    });
    const ratio = median(all.at(-1)?.ms ?? []) / median(all[0]?.ms ?? []);
    return { read: name, ...Object.assign({}, ...columns), ratio: ratio.toFixed(2) };
  });
}

function findRead(reads: readonly MeasuredRead[], name: string): MeasuredRead {
  return reads.find((read) => read.name === name) as MeasuredRead;
}

function listReads({ ctx, workspaceId }: Stack, stored: number): Read[] {
  const middle = storedId(Math.floor(stored / 2));
  const page =
    (filters: EmailFilters = {}, pagination: Partial<Pagination> = {}) =>
    () =>
      listEmails(ctx.db, workspaceId, filters, { limit: 20, after: null, before: null, ...pagination });
  // The usage report covers the days before `now`, so `now` must be the time of the newest emails.
  const ctxAtLastEmail = { ...ctx, now: () => storedAt(stored) };
  const workspace = { id: workspaceId, allowance: { monthly: null, monthlyCap: null, daily: null, overage: null } };
  return [
    { name: 'list, first page', run: page() },
    { name: 'list, page in the middle', run: page({}, { after: middle }) },
    ...listFilters(stored).flatMap(([name, filter, deep = 1 / 2]) => [
      { name: `list by ${name}`, run: page(filter) },
      { name: `list by ${name}, a deep page`, run: page(filter, { after: storedId(Math.floor(stored * deep)) }) },
    ]),
    { name: 'get', run: () => findEmail(ctx.db, workspaceId, middle, { withContent: true }) },
    {
      name: 'usage',
      run: () => reportUsage(ctxAtLastEmail, workspace as unknown as Parameters<typeof reportUsage>[1]),
    },
  ];
}

/** @returns name, filter, and the position of the deep page as a share of all emails (1/2 if omitted) */
function listFilters(stored: number): Array<[string, EmailFilters, number?]> {
  const half = storedAt(stored / 2);
  return [
    ['status, most', { status: 'sent' }],
    ['status, 1 in 100', { status: 'bounced' }],
    ['from_, all', { from: SENDER }],
    ['to, one', { to: 'jane4711@example.com' }],
    ['to, 1 in 20', { to: 'team@example.com' }],
    ['tag, 1 in 10', { tag: 'campaign:3' }],
    ['tag, 1 in 1,000', { tag: 'cohort:7' }],
    ['to + tag, 1 in 20', { to: 'team@example.com', tag: 'campaign:0' }],
    ['to + tag, one', { to: 'jane4711@example.com', tag: 'campaign:1' }],
    ['tag + status, 1 in 10', { tag: 'campaign:3', status: 'sent' }],
    ['tag + status, 1 in 100', { tag: 'campaign:0', status: 'bounced' }],
    // The list goes through all emails with the rarer tag (1 in 1,000) and finds none with the status.
    ['tag + status, none', { tag: 'cohort:7', status: 'bounced' }],
    ['template_id, 1 in 100', { templateId: TEMPLATE_ID }],
    ['created_before, the older half', { createdBefore: half }, 1 / 4],
    ['created_after, the newer half', { createdAfter: half }, 3 / 4],
  ];
}

/** Warms up until V8 has compiled the hot code, then runs every read several times per round. */
async function measure(stack: Stack, reads: readonly Read[]): Promise<MeasuredRead[]> {
  const running = reads.map((read) => ({ ...read, sums: { ms: [] as number[], reads: 0, seconds: 0 } }));
  for (const until = Date.now() + WARM_UP_MS; Date.now() < until; ) {
    for (const { run } of reads) await run();
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { run, sums } of running) {
      const before = stack.cpuSeconds().postgres;
      const { ms, count } = await repeatRead(run);
      sums.seconds += stack.cpuSeconds().postgres - before;
      sums.reads += count;
      sums.ms.push(ms);
    }
  }
  return running.map(({ name, sums }) => ({ name, ms: sums.ms, postgresUs: (sums.seconds / sums.reads) * 1e6 }));
}

/** Repeats a read READS times, or until MAX_READ_MS have passed. @returns the mean time and the number of reads */
async function repeatRead(run: Read['run']): Promise<{ ms: number; count: number }> {
  const startedAt = performance.now();
  let count = 0;
  while (count < READS && performance.now() - startedAt < MAX_READ_MS) {
    await run();
    count += 1;
  }
  return { ms: (performance.now() - startedAt) / count, count };
}
