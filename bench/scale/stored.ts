import {
  type Db,
  type EmailFilters,
  findEmail,
  listEmails,
  newId,
  type Pagination,
  reportUsage,
} from '@posthorn/domain';
import { bytesPerEmail, connectPatiently, settleTables } from '../support/fill-store.js';
import { type Filling, fillStored, storedAt, storedId } from '../support/fill-stored.js';
import { median, type Row, report, spread } from '../support/report.js';
import { openStack, type Stack } from '../support/stack.js';
import { measureProductMade } from './product-made.js';
import { ROUNDS } from './settings.js';

/** How many are stored; the first is what the last is compared with. */
const STORED = (process.env.STORED ?? '10000,5000000').split(',').map(Number);
const READS = Number(process.env.READS ?? 40);
const WARM_UP_MS = 10_000;
/** Of one read in a round. */
const MOST_MS = 2_000;
const FILL_AT_ONCE = 250_000;
const FROM = 'bench@posthorn.localhost';
const TEMPLATE_ID = newId();

type Read = { name: string; run: () => Promise<unknown> };
/** Of each round the mean, and the processor time that Postgres took for a read. */
type Measured = { name: string; ms: number[]; postgresUs: number };
type Found = { stored: number; bytes: number; measured: Measured[] };

export async function measureStored(): Promise<void> {
  const stack = await openStack();
  const db = await connectPatiently(stack.env.DATABASE_URL as string);
  const productMade = await measureProductMade(stack, db);
  const found: Found[] = [];
  const filling = { workspaceId: stack.workspaceId, from: FROM, templateId: TEMPLATE_ID };
  for (const [index, stored] of STORED.entries()) {
    await fill(db, filling, { first: (STORED[index - 1] ?? 0) + 1, last: stored });
    await settleTables(db);
    found.push({ stored, bytes: await bytesPerEmail(db), measured: await measure(stack, readsOf(stack, stored)) });
  }
  await db.destroy();
  await stack.close();
  report(
    'scale-stored',
    rowsOf(found),
    {
      ...Object.fromEntries(found.map(({ stored, bytes }) => [`B/email at ${stored}`, Math.round(bytes)])),
      'bytes/email, as the product writes them': Math.round(productMade),
    },
    { STORED: STORED.join(','), READS, ROUNDS, ...stack.versions },
  );
}

async function fill(db: Db, filling: Filling, { first, last }: { first: number; last: number }): Promise<void> {
  for (let from = first; from <= last; from += FILL_AT_ONCE)
    await fillStored(db, filling, { first: from, last: Math.min(from + FILL_AT_ONCE - 1, last) });
}

function rowsOf(found: readonly Found[]): Row[] {
  return (found[0]?.measured ?? []).map(({ name }) => {
    const all = found.map(({ stored, measured }) => ({ stored, ...findRead(measured, name) }));
    const columns = all.map(({ stored, ms, postgresUs }) => {
      const size = stored.toLocaleString('en-US');
      return { [`ms at ${size}`]: spread(ms, 2), [`Postgres us at ${size}`]: Math.round(postgresUs) };
    });
    const ratio = median(all.at(-1)?.ms ?? []) / median(all[0]?.ms ?? []);
    return { read: name, ...Object.assign({}, ...columns), ratio: ratio.toFixed(2) };
  });
}

function findRead(measured: readonly Measured[], name: string): Measured {
  return measured.find((each) => each.name === name) as Measured;
}

function readsOf({ ctx, workspaceId }: Stack, stored: number): Read[] {
  const middle = storedId(Math.floor(stored / 2));
  const page =
    (filters: EmailFilters = {}, pagination: Partial<Pagination> = {}) =>
    () =>
      listEmails(ctx.db, workspaceId, filters, { limit: 20, after: null, before: null, ...pagination });
  // The days that it reports are those of the newest emails.
  const atTheEnd = { ...ctx, now: () => storedAt(stored) };
  const workspace = { id: workspaceId, allowance: { monthly: null, monthlyCap: null, daily: null, overage: null } };
  return [
    { name: 'list, first page', run: page() },
    { name: 'list, page in the middle', run: page({}, { after: middle }) },
    ...filtersOf(stored).flatMap(([name, filter, deep = 1 / 2]) => [
      { name: `list by ${name}`, run: page(filter) },
      { name: `list by ${name}, a deep page`, run: page(filter, { after: storedId(Math.floor(stored * deep)) }) },
    ]),
    { name: 'get', run: () => findEmail(ctx.db, workspaceId, middle, { withContent: true }) },
    { name: 'usage', run: () => reportUsage(atTheEnd, workspace as unknown as Parameters<typeof reportUsage>[1]) },
  ];
}

/** @returns with each filter what part of all is older than its deep page, the half unless it is told */
function filtersOf(stored: number): Array<[string, EmailFilters, number?]> {
  const half = storedAt(stored / 2);
  return [
    ['status, most', { status: 'sent' }],
    ['status, 1 in 100', { status: 'bounced' }],
    ['from_, all', { from: FROM }],
    ['to, one', { to: 'jane4711@example.com' }],
    ['to, 1 in 20', { to: 'team@example.com' }],
    ['tag, 1 in 10', { tag: 'campaign:3' }],
    ['tag, 1 in 1,000', { tag: 'cohort:7' }],
    ['to + tag, 1 in 20', { to: 'team@example.com', tag: 'campaign:0' }],
    ['to + tag, one', { to: 'jane4711@example.com', tag: 'campaign:1' }],
    ['tag + status, 1 in 10', { tag: 'campaign:3', status: 'sent' }],
    ['tag + status, 1 in 100', { tag: 'campaign:0', status: 'bounced' }],
    // What the one finds is looked through for what the other asks for: all of the 1 in 1,000.
    ['tag + status, none', { tag: 'cohort:7', status: 'bounced' }],
    ['template_id, 1 in 100', { templateId: TEMPLATE_ID }],
    ['created_before, the older half', { createdBefore: half }, 1 / 4],
    ['created_after, the newer half', { createdAfter: half }, 3 / 4],
  ];
}

/** Rounds, each of some reads one after the other, once V8 has compiled what is hot. */
async function measure(stack: Stack, reads: readonly Read[]): Promise<Measured[]> {
  const rounds = reads.map((read) => ({ ...read, sums: { ms: [] as number[], reads: 0, seconds: 0 } }));
  for (const until = Date.now() + WARM_UP_MS; Date.now() < until; ) {
    for (const { run } of reads) await run();
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { run, sums } of rounds) {
      const before = stack.cpuSeconds().postgres;
      const { ms, count } = await readOften(run);
      sums.seconds += stack.cpuSeconds().postgres - before;
      sums.reads += count;
      sums.ms.push(ms);
    }
  }
  return rounds.map(({ name, sums }) => ({ name, ms: sums.ms, postgresUs: (sums.seconds / sums.reads) * 1e6 }));
}

/** READS times, or as many as there is time for. @returns the mean of them */
async function readOften(run: Read['run']): Promise<{ ms: number; count: number }> {
  const began = performance.now();
  let count = 0;
  while (count < READS && performance.now() - began < MOST_MS) {
    await run();
    count += 1;
  }
  return { ms: (performance.now() - began) / count, count };
}
