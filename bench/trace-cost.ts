import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { freePort } from '@posthorn/servers';
import { startRawSmtpServer } from '@posthorn/testing';
import autocannon from 'autocannon';
import { startChild } from './support/child.js';
import { usEach } from './support/cpu.js';
import { median, medianWithRange } from './support/figure.js';
import { report } from './support/report.js';
import { openStack } from './support/stack.js';
import { until } from './support/until.js';

/**
 * Measures what traces cost the flows of email. Emails arrive at a fixed rate and are delivered, in turns without
 * traces, with one in a hundred requests traced, and with all of them traced. Each target has its own servers.
 *
 * One in a hundred costs less than two rounds without traces differ. So a second target without traces shows that
 * difference, and the cost is also computed: a hundredth of what it costs to trace every request.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 8);
const SECONDS = Number(process.env.SECONDS ?? 6);
/** Emails per second, few enough that no process is busy all the time. */
const RATE = Number(process.env.RATE ?? 400);
const CONNECTIONS = 20;
const SETTLE_WITHIN_MS = 60_000;

const ROOT = join(import.meta.dirname, '..');
const sink = await startRawSmtpServer(() => undefined);
let requestsToCollector = 0;
const collector = createServer((request, response) => {
  requestsToCollector += 1;
  request.resume().on('end', () => response.end());
}).listen(0, '127.0.0.1');
await once(collector, 'listening');
const collectorUrl = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;

type Figures = Record<'p50' | 'api' | 'worker' | 'postgres', number[]>;
type Target = Awaited<ReturnType<typeof openTarget>>;

const noFigures = (): Figures => ({ p50: [], api: [], worker: [], postgres: [] });

const off = await openTarget('no traces', {});
const control = await openTarget('no traces again', {});
const few = await openTarget('1% of requests', traced('0.01'));
const all = await openTarget('every request', traced('1'));
const targets = [off, control, few, all];

for (const target of targets) await measure(target, noFigures());
for (let round = 0; round < ROUNDS; round += 1)
  for (const target of round % 2 === 0 ? targets : targets.toReversed()) await measure(target, target.figures);
for (const target of targets) await target.close();
await sink.close();
collector.close();

const ratio = (figure: keyof Figures, target: Target) =>
  (median(target.figures[figure]) / median([...off.figures[figure], ...control.figures[figure]])).toFixed(2);
/** Tracing every request adds this ratio minus one; a hundredth of that is as many percent. */
const hundredth = (figure: keyof Figures) => `${(Number(ratio(figure, all)) - 1).toFixed(2)}%`;
report(
  'trace-cost',
  targets.map(({ name, figures }) => ({
    traces: name,
    'accept p50 ms': medianWithRange(figures.p50, 1),
    'API us': medianWithRange(figures.api),
    'worker us': medianWithRange(figures.worker),
    'Postgres us': medianWithRange(figures.postgres),
  })),
  {
    'API, again / none': (median(control.figures.api) / median(off.figures.api)).toFixed(2),
    'worker, again / none': (median(control.figures.worker) / median(off.figures.worker)).toFixed(2),
    'API, 1% / none': ratio('api', few),
    'worker, 1% / none': ratio('worker', few),
    'Postgres, 1% / none': ratio('postgres', few),
    'API, every / none': ratio('api', all),
    'worker, every / none': ratio('worker', all),
    'API, a hundredth of every': hundredth('api'),
    'worker, a hundredth of every': hundredth('worker'),
    'requests to the collector': requestsToCollector,
  },
  { ROUNDS, SECONDS, RATE, CONNECTIONS, ...off.versions },
);

function traced(share: string): NodeJS.ProcessEnv {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl, OTEL_TRACES_SAMPLER_ARG: share };
}

/** Starts an API and a worker with a Postgres and Redis of their own. */
async function openTarget(name: string, settings: NodeJS.ProcessEnv) {
  const stack = await openStack();
  const port = await freePort();
  const start = (app: string, isReady: RegExp, more: NodeJS.ProcessEnv) =>
    startChild(
      join(ROOT, `apps/${app}/dist/main.js`),
      { ...stack.env, ...settings, NODE_ENV: 'bench', ...more },
      { isReady },
    );
  const api = await start('api', /api_listening/, { PORT: String(port) });
  const worker = await start('worker', /worker_ready/, { SMTP_URL: sink.url });
  return {
    name,
    figures: noFigures(),
    versions: stack.versions,
    key: stack.key,
    url: `http://127.0.0.1:${port}/api/v1/emails`,
    children: [api, worker],
    cpu: () => ({
      api: api.cpuSeconds(),
      worker: worker.cpuSeconds(),
      postgres: stack.cpuSeconds().postgres,
    }),
    isSettled: async () => (await stack.ctx.db('deliveries').first('email_id')) === undefined,
    async close() {
      await api.stop();
      await worker.stop();
      await stack.close();
    },
  };
}

async function measure(target: Target, figures: Figures): Promise<void> {
  const before = target.cpu();
  const result = await autocannon({
    url: target.url,
    method: 'POST',
    headers: { Authorization: `Bearer ${target.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ to: ['jane@example.com'], subject: 'Your order', text: 'All is well. '.repeat(100) }),
    connections: CONNECTIONS,
    overallRate: RATE,
    duration: SECONDS,
  });
  await until(target.isSettled, { what: 'emails to be sent', by: target.children, withinMs: SETTLE_WITHIN_MS });
  const us = usEach(before, target.cpu(), result['2xx']);
  figures.p50.push(result.latency.p50);
  for (const part of ['api', 'worker', 'postgres'] as const) figures[part].push(us[part]);
}
