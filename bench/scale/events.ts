import { setTimeout as sleep } from 'node:timers/promises';
import { type LogQuery, readEventLog } from '@posthorn/domain/events';
import { maintainPartitions } from '@posthorn/domain/retention';
import { migrateDatabase } from '@posthorn/domain/schema';
import type { Context } from '@posthorn/platform';
import type { Db } from '@posthorn/platform/postgres';
import { DAY_MS, formatCount, newId } from '@posthorn/platform/values';
import { getPercentile } from '@posthorn/testing';
import { connectWithoutTimeouts, emptyStore } from '../support/database.js';
import { median, medianFigure, medianWithRange } from '../support/figure.js';
import {
  createPastPartitions,
  type EventLog,
  type EventOwners,
  fillEvents,
  getPosition,
  getStream,
} from '../support/fill-events.js';
import { report } from '../support/report.js';
import { openStack, type Stack } from '../support/stack.js';
import type { Row } from '../support/table.js';
import { ROUNDS } from './settings.js';

/** How many events are stored, spread over EMAIL_RETENTION_DAYS. The ratios compare the last number with the first. */
const EVENTS = (process.env.EVENTS ?? '10000,10000000').split(',').map(Number);
const READS = Number(process.env.READS ?? 200);
const PAGE = 100;
/** Pages begin at random places of a stretch of this share of the log. */
const STRETCH = 0.05;
const WARM_UP_READS = 20;
const DROP_AFTER_MS = 1_000;

type Read = {
  readonly name: string;
  readonly of: keyof EventOwners;
  readonly from: number;
  readonly query: Partial<LogQuery>;
};
type Size = { readonly log: EventLog; readonly p50: number[][]; readonly p99: number[][]; readonly drop: Drop };
type Drop = { readonly ms: number; readonly events: number; readonly slowestReadMs: number };

const READ_KINDS: readonly Read[] = [
  { name: 'start of the log', of: 'many', from: 0, query: {} },
  { name: 'middle', of: 'many', from: 0.5, query: {} },
  { name: 'end', of: 'many', from: 1 - STRETCH, query: {} },
  { name: 'middle, a type of 1 in 200 events', of: 'many', from: 0.5, query: { type: 'email.bounced' } },
  { name: 'middle, a type without events', of: 'many', from: 0.5, query: { type: 'email.complained' } },
  { name: 'workspace with 200 events', of: 'few', from: 0, query: {} },
  { name: 'the same, a type without events', of: 'few', from: 0, query: { type: 'email.complained' } },
  { name: 'events of one email', of: 'many', from: 0, query: { emailId: '' } },
];

/** Measures whether reading the event log slows down as it grows, and how long it takes to drop old events. */
export async function measureEvents(): Promise<void> {
  const stack = await openStack();
  const db = await connectWithoutTimeouts(stack.env.DATABASE_URL as string);
  const owners = { many: stack.workspaceId, few: newId() };
  const sizes: Size[] = [];
  for (const events of EVENTS) {
    const log = toLog(stack.ctx, events);
    await emptyStore(db, stack.ctx);
    await createPastPartitions(stack.ctx, db, getStream(0, log).slice(0, 13).concat('-0000-0000-000000000000'));
    await fillEvents(db, owners, log);
    // Readers stop at the number of the current transaction, which is lower than the numbers that were filled in.
    await migrateDatabase(stack.env.DATABASE_URL as string);
    await db.raw('vacuum analyze events');
    await db.raw('checkpoint');
    sizes.push(await measureSize(stack, { db, owners, log }));
  }
  await db.destroy();
  await stack.close();
  report('scale', 'events', {
    rows: READ_KINDS.map(toRow(sizes)),
    ratios: listDrops(sizes),
    settings: { EVENTS: EVENTS.join(','), ROUNDS, READS, ...stack.versions },
  });
}

function toLog({ config }: Context, events: number): EventLog {
  const keptMs = config.emailRetentionDays * DAY_MS;
  return { events, since: new Date(Date.now() - keptMs), everyUs: Math.floor((keptMs * 1_000) / (events / 2)) };
}

type Store = { readonly db: Db; readonly owners: EventOwners; readonly log: EventLog };

async function measureSize({ ctx }: Stack, store: Store): Promise<Size> {
  const p50: number[][] = READ_KINDS.map(() => []);
  const p99: number[][] = READ_KINDS.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, kind] of READ_KINDS.entries()) {
      await timeReads(ctx, store, kind, WARM_UP_READS);
      const times = await timeReads(ctx, store, kind, READS);
      p50[index]?.push(getPercentile(times, 0.5) ?? Number.NaN);
      p99[index]?.push(getPercentile(times, 0.99) ?? Number.NaN);
    }
  }
  return { log: store.log, p50, p99, drop: await measureDrop(ctx, store) };
}

async function timeReads(ctx: Context, { owners, log }: Store, kind: Read, reads: number): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < reads; count += 1) {
    const place = kind.from + Math.random() * STRETCH;
    const query = { after: getCursor(kind, log, place), limit: PAGE, type: null, emailId: null, ...kind.query };
    // Only the workspace with half of the events has the emails with even numbers of pairs.
    if (kind.query.emailId !== undefined) query.emailId = getStream(Math.floor((log.events / 80) * place) * 40, log);
    const startedAt = performance.now();
    await readEventLog(ctx.db, { id: owners[kind.of], liveId: owners[kind.of] }, query);
    times.push(performance.now() - startedAt);
  }
  return times;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Emails and small workspaces are read from the start, because their few events fit on one or two pages. */
function getCursor({ of, query }: Read, log: EventLog, place: number) {
  if (of === 'few' || query.emailId !== undefined) return null;
  return { position: String(getPosition(place, log)), eventId: FIRST_ID };
}

/** Drops the oldest partition while a reader follows the log. */
async function measureDrop(ctx: Context, store: Store): Promise<Drop> {
  let isOver = false;
  let slowestReadMs = 0;
  const reading = (async () => {
    while (!isOver) slowestReadMs = Math.max(slowestReadMs, ...(await timeReads(ctx, store, READ_KINDS[2] as Read, 1)));
  })();
  await sleep(DROP_AFTER_MS);
  const count = async () => Number((await store.db('events').count())[0]?.count);
  const before = await count();
  // Moves the clock ahead so far that everything in the oldest partition is too old.
  const now = new Date(Date.now() + (ctx.config.emailRetentionDays / 5 + 1) * DAY_MS);
  const startedAt = performance.now();
  await maintainPartitions(ctx, now);
  const ms = performance.now() - startedAt;
  isOver = true;
  await reading;
  return { ms, slowestReadMs, events: before - (await count()) };
}

const toRow =
  (sizes: readonly Size[]) =>
  ({ name }: Read, index: number): Row => {
    const getP50 = (size: Size | undefined) => median(size?.p50[index] ?? []);
    return {
      page: name,
      ...Object.fromEntries(
        sizes.flatMap(({ log, p50, p99 }) => [
          [`p50 ms, ${formatCount(log.events)}`, medianWithRange(p50[index] ?? [], 2)],
          [`p99 ms, ${formatCount(log.events)}`, medianFigure(p99[index] ?? [], 2)],
        ]),
      ),
      ratio: (getP50(sizes.at(-1)) / getP50(sizes[0])).toFixed(2),
    };
  };

function listDrops(sizes: readonly Size[]): Row {
  return Object.fromEntries(
    sizes.flatMap(({ log, drop }) => [
      [`drop ms, ${formatCount(log.events)}`, drop.ms.toFixed(0)],
      [`events dropped, ${formatCount(log.events)}`, formatCount(drop.events)],
      [`slowest read meanwhile ms, ${formatCount(log.events)}`, drop.slowestReadMs.toFixed(0)],
    ]),
  );
}
