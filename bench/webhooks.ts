import { join } from 'node:path';
import { operator } from '@posthorn/domain/audit-log';
import { signalEvents } from '@posthorn/domain/events';
import { createWebhook } from '@posthorn/domain/webhooks';
import { newId } from '@posthorn/platform/values';
import { createWebhookSecret } from '@posthorn/webhooks';
import { type Child, startChild } from './support/child.js';
import { usEach } from './support/cpu.js';
import { connectWithoutTimeouts } from './support/database.js';
import { startEventReceiver } from './support/event-receiver.js';
import { median, medianFigure, medianWithRange } from './support/figure.js';
import { report } from './support/report.js';
import { openStack } from './support/stack.js';
import { until } from './support/until.js';

/**
 * Measures how fast one worker sends events to one webhook: it reads the log, signs and posts the events, and records
 * each result as a delivery. The baseline is a bare loop around undici with as many connections, which signs and posts
 * the same from memory. Both take turns, against the same receiver.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const EVENTS = Number(process.env.EVENTS ?? 60_000);
/** As many as a worker opens to one webhook. */
const CONNECTIONS = 16;
const WARM_UP_SHARE = 1 / 2;
/** About as many as one statement of a worker writes. */
const EVENTS_PER_TRANSACTION = 50;
const MAX_MS_PER_EVENT = 20;

const stack = await openStack();
const db = await connectWithoutTimeouts(stack.env.DATABASE_URL as string);
const receiver = await startEventReceiver();
const { url } = receiver;
const secret = createWebhookSecret();
const loop = await startChild(join(import.meta.dirname, 'baselines/webhook-loop.ts'), {
  RECEIVER_URL: url,
  CONNECTIONS: String(CONNECTIONS),
  SECRET: secret,
});
const worker = await startChild(
  join(import.meta.dirname, '../apps/worker/dist/main.js'),
  { ...stack.env, NODE_ENV: 'bench', WORKER_ROLES: 'webhooks', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' },
  { isReady: /worker_ready/ },
);
const workspace = { id: stack.workspaceId, liveId: stack.workspaceId };
await createWebhook(stack.ctx, operator, workspace, {
  settings: { url, description: '', events: ['email.sent'], domainIds: null, tags: null, status: 'enabled' },
  secret,
});

type Figures = Record<'rates' | 'own' | 'postgres' | 'receiver', number[]>;
/** Each step gets the number of events. CPU time counts from `begin` to the end of `settle`. */
type Target = {
  readonly name: string;
  readonly child: Child;
  readonly figures: Figures;
  prepare(count: number): Promise<void>;
  begin(count: number): void;
  settle(count: number): Promise<void>;
};

const noFigures = (): Figures => ({ rates: [], own: [], postgres: [], receiver: [] });
const ours: Target = {
  name: 'one worker, one webhook',
  child: worker,
  figures: noFigures(),
  prepare: fillLog,
  begin: () => signalEvents(stack.ctx),
  settle: untilRecorded,
};
const bare: Target = {
  name: 'bare undici loop',
  child: loop,
  figures: noFigures(),
  prepare: async () => {},
  begin: (count) => loop.process.send?.(count),
  settle: async () => {},
};

for (const target of [ours, bare])
  await measure({ ...target, figures: noFigures() }, Math.ceil(EVENTS * WARM_UP_SHARE));
for (let round = 0; round < ROUNDS; round += 1) for (const target of [ours, bare]) await measure(target, EVENTS);
const peakMb = Math.round(worker.peakMb());
for (const child of [worker, loop, receiver.child]) await child.stop();
await db.destroy();
await stack.close();

report('webhooks', 'events', {
  rows: [ours, bare].map(({ name, figures }) => ({
    sender: name,
    'events/s': medianWithRange(figures.rates),
    'CPU us/event': medianFigure(figures.own),
    'Postgres us': medianFigure(figures.postgres),
    'receiver us': medianFigure(figures.receiver),
  })),
  ratios: {
    'worker / bare loop': (median(ours.figures.rates) / median(bare.figures.rates)).toFixed(2),
    'worker, peak MB': peakMb,
  },
  settings: { ROUNDS, EVENTS, WARM_UP_SHARE, CONNECTIONS, ...stack.versions },
});

async function measure(target: Target, count: number): Promise<void> {
  const { child, figures } = target;
  await target.prepare(count);
  const cpu = () => ({ own: child.cpuSeconds(), receiver: receiver.child.cpuSeconds(), ...stack.cpuSeconds() });
  const received = await receiver.received();
  const before = cpu();
  const startedAt = performance.now();
  target.begin(count);
  await receiver.untilReceived(received + count, { by: child, withinMs: 60_000 + count * MAX_MS_PER_EVENT });
  const seconds = (performance.now() - startedAt) / 1_000;
  await target.settle(count);
  const us = usEach(before, cpu(), count);
  figures.rates.push(count / seconds);
  for (const part of ['own', 'postgres', 'receiver'] as const) figures[part].push(us[part]);
}

/** Stores events as if emails had been sent. */
async function fillLog(count: number): Promise<void> {
  await db.raw('truncate webhook_deliveries, events');
  await db.raw('vacuum analyze webhook_states');
  await db.transaction(async (trx) => {
    // The worker waits for this lock, so that all events are there when it begins.
    await trx.raw('lock table webhook_cursor in access exclusive mode');
    for (let stored = 0; stored < count; stored += EVENTS_PER_TRANSACTION) await storeEvents();
  });
}

async function storeEvents(): Promise<void> {
  await stack.ctx.db.raw(
    `insert into events (id, stream_id, sequence, workspace_id, type, recipient, detail, created_at)
     select id, id, 2, ?, 'email.sent', 'jane@example.com', '250 OK', now() from unnest(?::uuid[]) as id`,
    [stack.workspaceId, Array.from({ length: EVENTS_PER_TRANSACTION }, newId)],
  );
}

function untilRecorded(count: number): Promise<void> {
  return until(async () => Number((await db('webhook_deliveries').count())[0]?.count) === count, {
    what: 'the results to be recorded',
    by: [worker],
    withinMs: 60_000,
  });
}
