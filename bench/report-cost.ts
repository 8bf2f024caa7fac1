import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { returnPathMaker } from '@posthorn/domain';
import { freePort } from '@posthorn/servers';
import { startRawSmtpServer } from '@posthorn/testing';
import autocannon from 'autocannon';
import { createTransport } from 'nodemailer';
import { dsn } from '../tests/feedback/reports.js';
import { startChild } from './support/child.js';
import { usEach } from './support/cpu.js';
import { median, medianFigure, medianWithRange } from './support/figure.js';
import { fillStored, storedId } from './support/fill-stored.js';
import { report } from './support/report.js';
import { openStack, openWorkspace } from './support/stack.js';
import { until } from './support/until.js';

/**
 * Measures what many bounces cost the flows of email. Emails arrive at a fixed rate and are delivered, in turns without
 * and with reports. The reports are about emails of another workspace, and each is about a different one.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 3);
const SECONDS = Number(process.env.SECONDS ?? 20);
/** Emails per second, few enough that no process is busy all the time. */
const RATE = Number(process.env.RATE ?? 200);
const REPORTS_PER_MINUTE = Number(process.env.REPORTS_PER_MINUTE ?? 10_000);
const CONNECTIONS = 20;
const SETTLE_WITHIN_MS = 60_000;
const REPORTS = Math.round((REPORTS_PER_MINUTE / 60) * SECONDS);
const FROM = 'news@example.com';

const ROOT = join(import.meta.dirname, '..');
const stack = await openStack();
const sink = await startRawSmtpServer(() => undefined);
const [port, inboundPort] = [await freePort(), await freePort()];
const env = { ...stack.env, NODE_ENV: 'bench' };
const start = (app: string, isReady: RegExp, more: NodeJS.ProcessEnv) =>
  startChild(join(ROOT, `apps/${app}/dist/main.js`), { ...env, ...more }, { isReady });
const api = await start('api', /api_listening/, { PORT: String(port) });
const worker = await start('worker', /worker_ready/, { SMTP_URL: sink.url });
const inbound = await start('inbound', /inbound_listening/, { INBOUND_PORT: String(inboundPort) });
const transport = createTransport({ host: '127.0.0.1', port: inboundPort, ignoreTLS: true, pool: true });

const reported = (await openWorkspace(stack.ctx, 'reported')).workspaceId;
const times = { since: new Date(Date.now() - 3_600_000), everyMs: 1 };
const templateId = '00000000-0000-0000-0000-000000000000';
// The warm-up is one round more.
const stored = { first: 1, last: REPORTS * (ROUNDS + 1) };
await fillStored(stack.ctx.db, { workspaceId: reported, from: FROM, templateId }, stored, times);
const makeReturnPath = returnPathMaker(stack.ctx.config);
let lastReported = 0;

type Figures = Record<'p50' | 'p99' | 'api' | 'worker' | 'postgres' | 'inbound', number[]>;
type Target = { readonly name: string; readonly reports: number; readonly figures: Figures };

const noFigures = (): Figures => ({ p50: [], p99: [], api: [], worker: [], postgres: [], inbound: [] });
const without: Target = { name: 'none', reports: 0, figures: noFigures() };
const withMany: Target = { name: `${REPORTS_PER_MINUTE} a minute`, reports: REPORTS, figures: noFigures() };

for (const target of [without, withMany]) await measure({ ...target, figures: noFigures() });
for (let round = 0; round < ROUNDS; round += 1) for (const target of [without, withMany]) await measure(target);
const processed = await stack.ctx.db('feedback_reports').whereNotNull('result').count<{ count: string }[]>();
transport.close();
for (const child of [api, worker, inbound]) await child.stop();
await sink.close();
await stack.close();

const ratio = (figure: keyof Figures) =>
  (median(withMany.figures[figure]) / median(without.figures[figure])).toFixed(2);
report(
  'report-cost',
  [without, withMany].map(({ name, figures }) => ({
    reports: name,
    'accept p50 ms': medianWithRange(figures.p50, 1),
    'p99 ms': medianFigure(figures.p99, 1),
    'API us': medianFigure(figures.api),
    'worker us': medianFigure(figures.worker),
    'Postgres us': medianFigure(figures.postgres),
    'listener us per report': name === without.name ? '' : medianFigure(figures.inbound),
  })),
  {
    'API, with / without': ratio('api'),
    worker: ratio('worker'),
    'accept p50': ratio('p50'),
    'reports processed': `${processed[0]?.count} of ${stored.last}`,
  },
  { ROUNDS, SECONDS, RATE, REPORTS_PER_MINUTE, CONNECTIONS, ...stack.versions },
);

async function measure({ reports, figures }: Target): Promise<void> {
  const before = cpuOfAll();
  const [{ accepted, p50, p99 }] = await Promise.all([sendEmails(), sendReports(reports)]);
  await until(isSettled, {
    what: 'emails to be sent and reports to be applied',
    by: [api, worker, inbound],
    withinMs: SETTLE_WITHIN_MS,
  });
  const after = cpuOfAll();
  const us = usEach(before, after, accepted);
  figures.p50.push(p50);
  figures.p99.push(p99);
  for (const part of ['api', 'worker', 'postgres'] as const) figures[part].push(us[part]);
  if (reports > 0) figures.inbound.push(usEach(before, after, reports).inbound);
}

async function sendEmails(): Promise<{ accepted: number; p50: number; p99: number }> {
  const result = await autocannon({
    url: `http://127.0.0.1:${port}/api/v1/emails`,
    method: 'POST',
    headers: { Authorization: `Bearer ${stack.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ to: ['jane@example.com'], subject: 'Your order', text: 'All is well. '.repeat(100) }),
    connections: CONNECTIONS,
    overallRate: RATE,
    duration: SECONDS,
  });
  return { accepted: result['2xx'], p50: result.latency.p50, p99: result.latency.p99 };
}

/** Spreads the reports over the time in which emails are sent. */
async function sendReports(count: number): Promise<void> {
  const started = performance.now();
  const replies: Array<Promise<unknown>> = [];
  for (let sent = 0; sent < count; sent += 1) {
    const due = started + (sent * SECONDS * 1_000) / count;
    if (due > performance.now()) await sleep(due - performance.now());
    lastReported += 1;
    const emailId = storedId(lastReported, times);
    const to = makeReturnPath({ emailId, positions: [0], domain: stack.ctx.config.platformSenderDomain });
    const raw = dsn({ address: `jane${lastReported}@example.com` });
    replies.push(transport.sendMail({ envelope: { from: '', to }, raw }));
  }
  await Promise.all(replies);
}

async function isSettled(): Promise<boolean> {
  const waiting = await Promise.all([
    stack.ctx.db('deliveries').first('email_id'),
    stack.ctx.db('feedback_reports').whereNotNull('due_at').first('id'),
  ]);
  return waiting.every((row) => row === undefined);
}

function cpuOfAll() {
  const { postgres } = stack.cpuSeconds();
  return { api: api.cpuSeconds(), worker: worker.cpuSeconds(), postgres, inbound: inbound.cpuSeconds() };
}
