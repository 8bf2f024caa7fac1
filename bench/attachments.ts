import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '@posthorn/servers';
import type { PoolOrder } from './baselines/nodemailer-pool.js';
import { type Child, startChild } from './support/child.js';
import { usEach } from './support/cpu.js';
import { databaseNow } from './support/database.js';
import { median, medianFigure, medianWithRange } from './support/figure.js';
import { deliveryRate, isDrained } from './support/outcomes.js';
import { report } from './support/report.js';
import { startLargeMessageSink } from './support/smtp-sink.js';
import { openStack } from './support/stack.js';
import type { Row } from './support/table.js';
import { until } from './support/until.js';

/**
 * Measures emails with one attachment: accepting them, and delivering them with one worker that has 20 slots. The
 * baseline is a nodemailer pool that composes and sends the same messages from memory. The worker does not sign, because
 * the pool does not either.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SLOTS = Number(process.env.SLOTS ?? 20);
/** Requests in progress while accepting. */
const CONNECTIONS = 8;
const GRACE_MS = 60_000;
const MAX_MS_PER_EMAIL = 500;

const ROOT = join(import.meta.dirname, '..');
const UNSIGNED = ['--import', join(import.meta.dirname, 'support/without-signature.mjs')];

const sizes = [
  { name: '100 kB', bytes: 100_000, count: Number(process.env.SMALL ?? 400) },
  { name: '5 MB', bytes: 5_000_000, count: Number(process.env.LARGE ?? 40) },
];
type Size = (typeof sizes)[number];
type Samples = Record<'accepted' | 'acceptUs' | 'delivered' | 'deliverUs' | 'pool' | 'poolUs', number[]>;

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
});
let workerPeakMb = 0;

const results = sizes.map((size) => ({ size, samples: noSamples() }));
for (let round = 0; round < ROUNDS; round += 1)
  for (const result of results) await measure(result.size, result.samples);
const peaks = { api: api.peakMb(), pool: pool.peakMb() };
await api.stop();
await pool.stop();
await sink.stop();
await stack.close();

report(
  'attachments',
  results.flatMap(({ size, samples }) => [
    toRow('accept', size, { rates: samples.accepted, us: samples.acceptUs, peakMb: peaks.api }),
    toRow('deliver, one worker', size, { rates: samples.delivered, us: samples.deliverUs, peakMb: workerPeakMb }),
    toRow('nodemailer pool, composing', size, { rates: samples.pool, us: samples.poolUs, peakMb: peaks.pool }),
  ]),
  Object.fromEntries(
    results.map(({ size, samples }) => [
      `${size.name}: worker / nodemailer`,
      (median(samples.delivered) / median(samples.pool)).toFixed(2),
    ]),
  ),
  { ROUNDS, SLOTS, CONNECTIONS, sink: sink.name, ...stack.versions },
);

async function measure(size: Size, samples: Samples): Promise<void> {
  await accept(size, samples);
  await deliver(size, samples);
  await sendWithPool(size, samples);
}

/** Every attachment is different, so all of them are stored. */
async function accept({ bytes, count }: Size, samples: Samples): Promise<void> {
  const bodies = Array.from({ length: count }, () => {
    const content = randomBytes(bytes).toString('base64');
    return JSON.stringify({
      to: ['jane@example.com'],
      subject: 'Invoice',
      html,
      text,
      attachments: [{ filename: 'invoice.pdf', content }],
    });
  });
  const before = cpuOf(api);
  const startedAt = performance.now();
  const sendNext = async () => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) await post(body);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendNext));
  samples.accepted.push(count / ((performance.now() - startedAt) / 1_000));
  samples.acceptUs.push(usEach(before, cpuOf(api), count).own);
}

async function post(body: string): Promise<void> {
  const headers = { Authorization: `Bearer ${stack.key}`, 'Content-Type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/emails`, { method: 'POST', headers, body });
  await response.text();
  if (response.status === 202) return;
  if (response.status !== 429) throw new Error(`A send returned ${response.status}`);
  // The bytes of a workspace in progress are limited.
  await new Promise((resolve) => setTimeout(resolve, 50));
  await post(body);
}

async function deliver({ count }: Size, samples: Samples): Promise<void> {
  const since = await databaseNow(stack.ctx);
  const worker = await startChild(join(ROOT, 'apps/worker/dist/main.js'), env, {
    isReady: /worker_ready/,
    nodeArgs: UNSIGNED,
  });
  const before = cpuOf(worker);
  await until(() => isDrained(stack.ctx), {
    what: `${count} emails to be sent`,
    by: [worker],
    withinMs: GRACE_MS + count * MAX_MS_PER_EMAIL,
  });
  samples.delivered.push(await deliveryRate(stack.ctx, since));
  samples.deliverUs.push(usEach(before, cpuOf(worker), count).own);
  workerPeakMb = Math.max(workerPeakMb, worker.peakMb());
  await worker.stop();
}

async function sendWithPool({ bytes, count }: Size, samples: Samples): Promise<void> {
  const before = cpuOf(pool);
  pool.process.send({ count, html, text, mode: 'composed', attachmentBytes: bytes } satisfies PoolOrder);
  const [ms] = (await once(pool.process, 'message')) as [number];
  samples.pool.push(count / (ms / 1_000));
  samples.poolUs.push(usEach(before, cpuOf(pool), count).own);
}

function cpuOf(child: Child): { own: number } {
  return { own: child.cpuSeconds() };
}

function noSamples(): Samples {
  return { accepted: [], acceptUs: [], delivered: [], deliverUs: [], pool: [], poolUs: [] };
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
