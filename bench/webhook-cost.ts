import { join } from 'node:path';
import { createWebhook, eventTypes, operator } from '@posthorn/domain';
import { freePort } from '@posthorn/servers';
import { startRawSmtpServer } from '@posthorn/testing';
import { newWebhookSecret } from '@posthorn/webhooks';
import autocannon from 'autocannon';
import { startChild } from './support/child.js';
import { usEach } from './support/cpu.js';
import { startEventReceiver } from './support/event-receiver.js';
import { median, medianFigure, medianWithRange } from './support/figure.js';
import { report } from './support/report.js';
import { openStack } from './support/stack.js';
import { until } from './support/until.js';

/**
 * Measures what a webhook that takes every event costs the flows of email. Emails arrive at a fixed rate and are
 * delivered, in turns without and with the webhook. A worker of its own sends the events.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SECONDS = Number(process.env.SECONDS ?? 5);
/** Emails per second, few enough that no process is busy all the time. */
const RATE = Number(process.env.RATE ?? 200);
const CONNECTIONS = 20;
const SETTLE_WITHIN_MS = 60_000;
/** `email.accepted` and `email.sent`. */
const EVENTS_PER_EMAIL = 2;

const ROOT = join(import.meta.dirname, '..');
const stack = await openStack();
const sink = await startRawSmtpServer(() => undefined);
const port = await freePort();
const env = { ...stack.env, NODE_ENV: 'bench', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' };
const start = (app: string, isReady: RegExp, more: NodeJS.ProcessEnv) =>
  startChild(join(ROOT, `apps/${app}/dist/main.js`), { ...env, ...more }, { isReady });
const receiver = await startEventReceiver();
const api = await start('api', /api_listening/, { PORT: String(port) });
const deliverer = await start('worker', /worker_ready/, { WORKER_ROLES: 'deliver', SMTP_URL: sink.url });
const sender = await start('worker', /worker_ready/, { WORKER_ROLES: 'webhooks' });
await createWebhook(
  stack.ctx,
  operator,
  { id: stack.workspaceId, liveId: stack.workspaceId },
  {
    settings: {
      url: receiver.url,
      description: '',
      events: eventTypes.filter((type) => type !== 'webhook.test'),
      domainIds: null,
      tags: null,
      status: 'enabled',
    },
    secret: newWebhookSecret(),
  },
);

type Figures = Record<'p50' | 'p99' | 'api' | 'worker' | 'postgres' | 'sender', number[]>;
type Target = { readonly name: string; readonly status: 'enabled' | 'disabled'; readonly figures: Figures };

const noFigures = (): Figures => ({ p50: [], p99: [], api: [], worker: [], postgres: [], sender: [] });
const without: Target = { name: 'no webhook', status: 'disabled', figures: noFigures() };
const withAll: Target = { name: 'one that takes every event', status: 'enabled', figures: noFigures() };

for (const target of [without, withAll]) await measure({ ...target, figures: noFigures() });
for (let round = 0; round < ROUNDS; round += 1) for (const target of [without, withAll]) await measure(target);
for (const child of [api, deliverer, sender, receiver.child]) await child.stop();
await sink.close();
await stack.close();

const ratio = (figure: keyof Figures) => (median(withAll.figures[figure]) / median(without.figures[figure])).toFixed(2);
report(
  'webhook-cost',
  [without, withAll].map(({ name, figures }) => ({
    webhook: name,
    'accept p50 ms': medianWithRange(figures.p50, 1),
    'p99 ms': medianFigure(figures.p99, 1),
    'API us': medianFigure(figures.api),
    'delivering us': medianFigure(figures.worker),
    'Postgres us': medianFigure(figures.postgres),
    'sending events us': medianFigure(figures.sender),
  })),
  { 'API, with / without': ratio('api'), delivering: ratio('worker'), 'accept p50': ratio('p50') },
  { ROUNDS, SECONDS, RATE, CONNECTIONS, ...stack.versions },
);

async function measure({ status, figures }: Target): Promise<void> {
  await stack.ctx.db('webhooks').update({ status });
  await stack.ctx.db.raw('update webhook_states set position = event_horizon() - 1');
  const [events, before] = [await receiver.received(), cpuOfAll()];
  const result = await autocannon({
    url: `http://127.0.0.1:${port}/api/v1/emails`,
    method: 'POST',
    headers: { Authorization: `Bearer ${stack.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ to: ['jane@example.com'], subject: 'Your order', text: 'All is well. '.repeat(100) }),
    connections: CONNECTIONS,
    overallRate: RATE,
    duration: SECONDS,
  });
  const accepted = result['2xx'];
  await until(isSent, {
    what: 'emails to be sent',
    by: [api, deliverer],
    withinMs: SETTLE_WITHIN_MS,
  });
  const arriving = status === 'enabled' ? EVENTS_PER_EMAIL * accepted : 0;
  await receiver.untilReceived(events + arriving, { by: sender, withinMs: SETTLE_WITHIN_MS });
  const us = usEach(before, cpuOfAll(), accepted);
  figures.p50.push(result.latency.p50);
  figures.p99.push(result.latency.p99);
  for (const part of ['api', 'worker', 'postgres', 'sender'] as const) figures[part].push(us[part]);
}

async function isSent(): Promise<boolean> {
  const [waiting] = await stack.ctx.db('deliveries').count<{ count: number }[]>();
  return Number(waiting?.count) === 0;
}

function cpuOfAll() {
  const { postgres } = stack.cpuSeconds();
  return { api: api.cpuSeconds(), worker: deliverer.cpuSeconds(), postgres, sender: sender.cpuSeconds() };
}
