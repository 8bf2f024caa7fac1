import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, DAY_MS, findEmail, formatCount, listEmails, maintainPartitions, newId } from '@posthorn/domain';
import { usEach } from '../support/cpu.js';
import { createPastPartitions } from '../support/create-past-partitions.js';
import { bytesOfEmails, connectWithoutTimeouts, emptyStore, settleTables } from '../support/database.js';
import { median, medianFigure, medianWithRange } from '../support/figure.js';
import { fillStored, type StoredTimes, storedId } from '../support/fill-stored.js';
import { isDrained } from '../support/outcomes.js';
import { report } from '../support/report.js';
import { openStack, type Stack } from '../support/stack.js';
import type { Row } from '../support/table.js';
import { until } from '../support/until.js';
import { email } from './refill.js';
import { load, openService, type Service, startWorker } from './service.js';
import { CONNECTIONS, ROUNDS, SECONDS } from './settings.js';

/** How many emails are stored, spread over EMAIL_RETENTION_DAYS. */
const RETAINED = (process.env.RETAINED ?? '10000,10000000').split(',').map(Number);
const READS = Number(process.env.READS ?? 40);
const WARM_UP_SECONDS = Number(process.env.WARM_UP_SECONDS ?? 10);
const FILL_BATCH = 250_000;
const DRAINED_WITHIN_MS = 600_000;
/** Emails are accepted for this long. Halfway through, the oldest partition is dropped. */
const DROP_SECONDS = 3;
const SETTLE_MS = 2_000;
const SENDER = 'bench@posthorn.localhost';

type Size = {
  readonly retained: number;
  readonly pageMs: number[];
  readonly readMs: number[];
  readonly acceptedPerSecond: number[];
  readonly acceptUs: number[];
  readonly drainedPerSecond: number[];
  readonly drainUs: number[];
  readonly gb: number[];
  readonly droppedGb: number[];
  readonly dropMs: number[];
};

/**
 * Measures whether reading, accepting and delivering slow down when the store is full, and how much space is freed by
 * dropping a partition.
 */
export async function measureRetention(): Promise<void> {
  const stack = await openStack();
  // Keeps stored content for as long as everything else, so that the store is as large as possible.
  const ctx = {
    ...stack.ctx,
    config: { ...stack.ctx.config, contentRetentionDays: stack.ctx.config.emailRetentionDays },
  };
  const db = await connectWithoutTimeouts(stack.env.DATABASE_URL as string);
  const service = await openService(stack);
  await load(service, email, { connections: CONNECTIONS, duration: WARM_UP_SECONDS });
  const sizes: Size[] = [];
  for (const retained of RETAINED) {
    await emptyStore(db, ctx);
    const times = timesOf(ctx, retained);
    await createPastPartitions(ctx, db, storedId(0, times).slice(0, 13).concat('-0000-0000-000000000000'));
    const emails = { workspaceId: stack.workspaceId, from: SENDER, templateId: newId() };
    for (let first = 1; first <= retained; first += FILL_BATCH)
      await fillStored(db, emails, { first, last: Math.min(first + FILL_BATCH - 1, retained) }, times);
    await settleTables(db);
    sizes.push(await measureSize(service, ctx, { retained, times }));
  }
  await service.close();
  await db.destroy();
  await stack.close();
  report('scale-retention', sizes.map(toRow), ratiosOf(sizes), {
    RETAINED: RETAINED.join(','),
    ROUNDS,
    SECONDS,
    READS,
    ...stack.versions,
  });
}

function timesOf({ config }: Context, retained: number): StoredTimes {
  const keptMs = config.emailRetentionDays * DAY_MS;
  return { since: new Date(Date.now() - keptMs), everyMs: Math.floor(keptMs / retained) };
}

async function measureSize(
  service: Service,
  ctx: Context,
  { retained, times }: { retained: number; times: StoredTimes },
): Promise<Size> {
  const size: Size = {
    retained,
    pageMs: [],
    readMs: [],
    acceptedPerSecond: [],
    acceptUs: [],
    drainedPerSecond: [],
    drainUs: [],
    gb: [],
    droppedGb: [],
    dropMs: [],
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    await measureReads(service.stack, storedId(Math.ceil(retained / 2), times), size);
    const accepted = await measureAccepting(service, size);
    await measureDraining(service, accepted, size);
  }
  await measureDrop(service, ctx, size);
  return size;
}

async function measureReads({ ctx, workspaceId }: Stack, middle: string, { pageMs, readMs }: Size): Promise<void> {
  const page = { limit: 20, after: null, before: null };
  pageMs.push(await meanMs(() => listEmails(ctx.db, workspaceId, {}, page)));
  readMs.push(await meanMs(() => findEmail(ctx.db, workspaceId, middle, { withContent: true })));
}

async function meanMs(work: () => Promise<unknown>): Promise<number> {
  await work();
  const startedAt = performance.now();
  for (let n = 0; n < READS; n += 1) await work();
  return (performance.now() - startedAt) / READS;
}

async function measureAccepting(service: Service, { acceptedPerSecond, acceptUs }: Size): Promise<number> {
  const before = { postgres: service.stack.cpuSeconds().postgres };
  const accepted = await load(service, email, { connections: CONNECTIONS, duration: SECONDS });
  acceptedPerSecond.push(accepted / SECONDS);
  acceptUs.push(usEach(before, { postgres: service.stack.cpuSeconds().postgres }, accepted).postgres);
  return accepted;
}

/** Starts a worker, which delivers the accepted emails. It also adds and drops partitions, as workers do. */
async function measureDraining(service: Service, waiting: number, { drainedPerSecond, drainUs }: Size): Promise<void> {
  const { stack } = service;
  const before = { postgres: stack.cpuSeconds().postgres };
  const worker = await startWorker(service);
  const startedAt = performance.now();
  const what = `${waiting} emails to be delivered`;
  await until(() => isDrained(stack.ctx), { what, by: [worker], withinMs: DRAINED_WITHIN_MS });
  drainedPerSecond.push((waiting * 1_000) / (performance.now() - startedAt));
  drainUs.push(usEach(before, { postgres: stack.cpuSeconds().postgres }, waiting).postgres);
  await worker.stop();
}

/** Drops the oldest partition while emails are being accepted. */
async function measureDrop(service: Service, ctx: Context, { gb, droppedGb, dropMs }: Size): Promise<void> {
  const accepting = load(service, email, { connections: CONNECTIONS, duration: DROP_SECONDS });
  await sleep((DROP_SECONDS * 1_000) / 2);
  // Moves the clock ahead so far that everything in the oldest partition is too old.
  const now = new Date(Date.now() + (ctx.config.emailRetentionDays / 5 + 1) * DAY_MS);
  const before = await bytesOfEmails(ctx.db);
  const startedAt = performance.now();
  await maintainPartitions(ctx, now);
  dropMs.push(performance.now() - startedAt);
  gb.push(before / 1e9);
  droppedGb.push((before - (await bytesOfEmails(ctx.db))) / 1e9);
  await accepting;
  // Requests in flight when the load ends are still accepted. That must happen before the tables are emptied.
  await sleep(SETTLE_MS);
}

function toRow(size: Size): Row {
  return {
    stored: formatCount(size.retained),
    'first page ms': medianWithRange(size.pageMs, 2),
    'get ms': medianWithRange(size.readMs, 2),
    'accepted/s': medianWithRange(size.acceptedPerSecond),
    'accepting: Postgres us': medianFigure(size.acceptUs),
    'drained/s': medianWithRange(size.drainedPerSecond),
    'draining: Postgres us': medianFigure(size.drainUs),
    GB: medianFigure(size.gb, 2),
    'GB given back': medianFigure(size.droppedGb, 2),
    'drop ms': medianFigure(size.dropMs),
  };
}

/** Ratios of the medians with the most emails to those with the fewest. */
function ratiosOf(sizes: readonly Size[]): Row {
  const ratio = (samples: (size: Size) => number[]) =>
    (median(samples(sizes.at(-1) as Size)) / median(samples(sizes[0] as Size))).toFixed(2);
  return {
    'first page, most / fewest': ratio(({ pageMs }) => pageMs),
    'get, most / fewest': ratio(({ readMs }) => readMs),
    'accepting, most / fewest': ratio(({ acceptedPerSecond }) => acceptedPerSecond),
    'draining, most / fewest': ratio(({ drainedPerSecond }) => drainedPerSecond),
  };
}
