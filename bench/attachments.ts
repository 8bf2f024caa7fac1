import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@posthorn/servers';
import type { PoolOrder } from './baselines/nodemailer-pool.js';
import { type Child, startChild } from './support/child.js';
import { usEach } from './support/cpu.js';
import { databaseNow } from './support/database.js';
import { openDeliveryQueue } from './support/delivery-queue.js';
import { median, medianFigure, medianWithRange } from './support/figure.js';
import { deliveryRate, isDrained } from './support/outcomes.js';
import { report } from './support/report.js';
import { startLargeMessageSink } from './support/smtp-sink.js';
import { openStack } from './support/stack.js';
import type { Row } from './support/table.js';
import { until } from './support/until.js';

/**
 * Measures emails with one attachment: accepting them, and delivering them with one worker that has 20 slots. Every
 * attachment is different, so the worker reads each from Postgres. The baseline is a nodemailer pool that composes,
 * signs and streams the same messages, with attachments from files. A second pool sends one attachment from memory over
 * and over, so it reads nothing. With `SIGNED=0`, neither the worker nor the pools sign. The emails are scheduled, so
 * that the worker waits until all of them are accepted.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SLOTS = Number(process.env.SLOTS ?? 20);
const SIGNED = process.env.SIGNED ?? '1';
/** Requests in progress while accepting. */
const CONNECTIONS = 8;
/** Before each measurement, this share of its emails is sent without being measured. */
const WARM_UP_SHARE = 0.25;
/** Longer than accepting takes. */
const SCHEDULED_MS = 3_600_000;
const GRACE_MS = 60_000;
const MAX_MS_PER_EMAIL = 500;

const ROOT = join(import.meta.dirname, '..');
const UNSIGNED = ['--import', join(import.meta.dirname, 'support/without-signature.mjs')];

const sizes = [
  { name: '100 kB', bytes: 100_000, count: Number(process.env.SMALL ?? 800) },
  { name: '5 MB', bytes: 5_000_000, count: Number(process.env.LARGE ?? 40) },
];
type Size = (typeof sizes)[number];
type Samples = Record<
  'accepted' | 'acceptUs' | 'delivered' | 'deliverUs' | 'pool' | 'poolUs' | 'memoryPool' | 'memoryPoolUs',
  number[]
>;

const html = '<p>See the attached file.</p>';
const text = 'See the attached file.';
const stack = await openStack();
const sink = await startLargeMessageSink();
const port = await freePort();
const env = { ...stack.env, NODE_ENV: 'bench', SMTP_URL: sink.url, WORKER_CONCURRENCY: String(SLOTS) };
const api = await startChild(
  join(ROOT, 'apps/api/dist/main.js'),
  { ...env, PORT: String(port) },
  {
    isReady: /api_listening/,
  },
);
const pool = await startChild(join(import.meta.dirname, 'baselines/nodemailer-pool.ts'), {
  SMTP_PORT: String(sink.port),
  CONNECTIONS: String(SLOTS),
  SIGNED,
});
const worker = await startChild(join(ROOT, 'apps/worker/dist/main.js'), env, {
  isReady: /worker_ready/,
  nodeArgs: SIGNED === '1' ? [] : UNSIGNED,
});
const queue = openDeliveryQueue(stack.ctx);

const results = sizes.map((size) => ({ size, samples: noSamples() }));
for (const size of sizes) await measure({ ...size, count: Math.ceil(size.count * WARM_UP_SHARE) }, noSamples());
for (let round = 0; round < ROUNDS; round += 1)
  for (const result of results) await measure(result.size, result.samples);
const peaks = { api: api.peakMb(), worker: worker.peakMb(), pool: pool.peakMb() };
await queue.close();
await worker.stop();
await api.stop();
await pool.stop();
await sink.stop();
await stack.close();

report(
  'attachments',
  results.flatMap(({ size, samples }) => [
    toRow('accept', size, { rates: samples.accepted, us: samples.acceptUs, peakMb: peaks.api }),
    toRow('deliver, one worker', size, { rates: samples.delivered, us: samples.deliverUs, peakMb: peaks.worker }),
    toRow('nodemailer pool, files', size, { rates: samples.pool, us: samples.poolUs, peakMb: peaks.pool }),
    toRow('nodemailer pool, memory', size, { rates: samples.memoryPool, us: samples.memoryPoolUs, peakMb: peaks.pool }),
  ]),
  Object.fromEntries(
    results.flatMap(({ size, samples }) => [
      [`${size.name}: worker / pool, files`, (median(samples.delivered) / median(samples.pool)).toFixed(2)],
      [`${size.name}: worker / pool, memory`, (median(samples.delivered) / median(samples.memoryPool)).toFixed(2)],
    ]),
  ),
  { ROUNDS, WARM_UP_SHARE, SLOTS, CONNECTIONS, SIGNED, sink: sink.name, ...stack.versions },
);

async function measure(size: Size, samples: Samples): Promise<void> {
  await deliver(await accept(size, samples), samples);
  await sendWithPools(size, samples);
}

/** @returns the ids of the emails */
async function accept({ bytes, count }: Size, samples: Samples): Promise<string[]> {
  const scheduledAt = new Date(Date.now() + SCHEDULED_MS).toISOString();
  const bodies = Array.from({ length: count }, () => {
    const content = randomBytes(bytes).toString('base64');
    return JSON.stringify({
      to: ['jane@example.com'],
      subject: 'Invoice',
      html,
      text,
      attachments: [{ filename: 'invoice.pdf', content }],
      scheduled_at: scheduledAt,
    });
  });
  const before = cpuOf(api);
  const startedAt = performance.now();
  const ids: string[] = [];
  const sendNext = async () => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) ids.push(await post(body));
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendNext));
  samples.accepted.push(count / ((performance.now() - startedAt) / 1_000));
  samples.acceptUs.push(usEach(before, cpuOf(api), count).own);
  return ids;
}

/** @returns the id of the email */
async function post(body: string): Promise<string> {
  const headers = { Authorization: `Bearer ${stack.key}`, 'Content-Type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/emails`, { method: 'POST', headers, body });
  const { id } = (await response.json()) as { id: string };
  if (response.status === 202) return id;
  if (response.status !== 429) throw new Error(`A send returned ${response.status}`);
  // The API limits how many bytes each workspace may have in progress.
  await sleep(50);
  return post(body);
}

async function deliver(ids: readonly string[], samples: Samples): Promise<void> {
  const count = ids.length;
  const since = await databaseNow(stack.ctx);
  const before = cpuOf(worker);
  await stack.ctx.db('deliveries').update({ due_at: since, is_due: true });
  await queue.add(stack.workspaceId, ids);
  await until(() => isDrained(stack.ctx), {
    what: `${count} emails to be sent`,
    by: [worker],
    withinMs: GRACE_MS + count * MAX_MS_PER_EMAIL,
  });
  samples.delivered.push(await deliveryRate(stack.ctx, since));
  samples.deliverUs.push(usEach(before, cpuOf(worker), count).own);
}

async function sendWithPools({ bytes, count }: Size, samples: Samples): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-attachments-'));
  const files = Array.from({ length: count }, (_, index) => join(folder, `${index}.pdf`));
  for (const file of files) writeFileSync(file, randomBytes(bytes));
  const order = { count, html, text, files, mode: 'composed' } as const;
  await sendWithPool(order, samples.pool, samples.poolUs);
  await sendWithPool({ ...order, inMemory: true }, samples.memoryPool, samples.memoryPoolUs);
  rmSync(folder, { recursive: true });
}

async function sendWithPool(order: PoolOrder, rates: number[], us: number[]): Promise<void> {
  const before = cpuOf(pool);
  pool.process.send(order);
  const [ms] = (await once(pool.process, 'message')) as [number];
  rates.push(order.count / (ms / 1_000));
  us.push(usEach(before, cpuOf(pool), order.count).own);
}

function cpuOf(child: Child): { own: number } {
  return { own: child.cpuSeconds() };
}

function noSamples(): Samples {
  return {
    accepted: [],
    acceptUs: [],
    delivered: [],
    deliverUs: [],
    pool: [],
    poolUs: [],
    memoryPool: [],
    memoryPoolUs: [],
  };
}

type Measured = { readonly rates: readonly number[]; readonly us: readonly number[]; readonly peakMb: number };

function toRow(what: string, { name }: Size, { rates, us, peakMb }: Measured): Row {
  return {
    what,
    attachment: name,
    'emails/s': medianWithRange(rates, 1),
    'CPU us/email': medianFigure(us),
    'peak MB': Math.round(peakMb),
  };
}
