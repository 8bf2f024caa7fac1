import { join } from 'node:path';
import { operator } from '@posthorn/domain/audit-log';
import { createTemplate } from '@posthorn/domain/templates';
import { findFreePort } from '@posthorn/servers';
import autocannon from 'autocannon';
import { RECORD_WAITS_ARGS, readWaits, toWaitRows, watchSessions } from './support/accept-waits.js';
import { type Child, startChild } from './support/child.js';
import { cpuBoundRate, usEach } from './support/cpu.js';
import { median, medianFigure, medianWithRange } from './support/figure.js';
import { report } from './support/report.js';
import { openStack } from './support/stack.js';
import type { Row } from './support/table.js';

/**
 * Measures what it costs to accept an email durably. The baselines get the same request: stock Express only returns
 * 202, and a bare node:http server inserts the email into Postgres first. Each round puts load on all of them in turn.
 * The bench also measures other requests and more connections, and shows what a request waits for.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SECONDS = Number(process.env.SECONDS ?? 3);
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 50);
/** Long enough for V8 to compile the hot code. Express needs less time. */
const WARM_UP_SECONDS = Number(process.env.WARM_UP_SECONDS ?? 10);

const BATCH = 100;

const ROOT = join(import.meta.dirname, '..');
const API = 'apps/api/dist/main.js';
const content = {
  subject: 'Your order has been shipped',
  html: `<p>${'All is well. '.repeat(70)}</p>`,
  text: 'All is well. '.repeat(45),
};
const raw = JSON.stringify({ to: ['jane@example.com'], ...content });
const batch = `[${Array(BATCH).fill(raw).join()}]`;

const stack = await openStack();
const { id: templateId } = await createTemplate(stack.ctx, operator, stack.workspaceId, {
  name: 'Bench',
  subject: 'Order {{order}}',
  htmlBody: content.html,
  textBody: content.text,
});
const fromTemplate = JSON.stringify({
  to: ['jane@example.com'],
  template_id: templateId,
  template_vars: { order: '4711' },
});

type LoadOptions = { connections: number; body?: string; withKey?: boolean; isBatch?: boolean };
type Server = { child: Child; port: number };
type Component = 'postgres' | 'redis';
type Target = { name: string; server: Server; request: LoadOptions; uses: readonly Component[]; figures: Figures };
type Figures = Record<'rates' | 'p50' | 'p99' | 'cpu' | Component | 'generator' | 'all', number[]>;

const posthorn = await openServer(API, { ...stack.env, NODE_ENV: 'bench' });
const express = await openServer('bench/baselines/express-202.ts', { NODE_ENV: 'production' });
const inserting = await openServer('bench/baselines/http-insert-202.ts', stack.env);

const accept = toTarget('posthorn', posthorn, { connections: CONNECTIONS });
const expressTarget = toTarget('express 202', express, { connections: CONNECTIONS });
const floor = toTarget('node:http + insert, 202', inserting, { connections: CONNECTIONS });
const compared = [accept, expressTarget, floor];
const batches = toTarget(`posthorn, batches of ${BATCH}`, posthorn, { connections: 4, isBatch: true });
const others = [
  batches,
  toTarget('posthorn, Idempotency-Key', posthorn, { connections: CONNECTIONS, withKey: true }),
  toTarget('posthorn, template', posthorn, { connections: CONNECTIONS, body: fromTemplate }),
  toTarget('posthorn, 200 connections', posthorn, { connections: 200 }),
  toTarget('express 202, 200 connections', express, { connections: 200 }),
];
const targets = [...compared, ...others];

for (const { server, request } of compared) await load(server, request, WARM_UP_SECONDS);
for (let round = 0; round < ROUNDS; round += 1) {
  for (const target of targets) await measure(target);
}
const settings = { ROUNDS, SECONDS, CONNECTIONS, WARM_UP_SECONDS, ...stack.versions };
const memory = posthorn.child.peakMb();
for (const { child } of [posthorn, express, inserting]) await child.stop();
const waits = await measureWaits();
await stack.close();

const ratio = (figure: 'rates' | 'p99', base: Target) =>
  (median(accept.figures[figure]) / median(base.figures[figure])).toFixed(2);
report('accept', 'requests', {
  rows: targets.map(toRow),
  ratios: {
    'rate / express': ratio('rates', expressTarget),
    'rate / floor': ratio('rates', floor),
    'batch / single': (median(batches.figures.rates) / median(accept.figures.rates)).toFixed(2),
    'p99 / express': ratio('p99', expressTarget),
    'rate / CPU bound': (median(accept.figures.rates) / cpuBoundRate(median(accept.figures.all))).toFixed(2),
    'API, peak MB': Math.round(memory),
  },
  settings,
});
report('accept', 'waits', { rows: waits, settings });

async function openServer(
  file: string,
  env: NodeJS.ProcessEnv = {},
  nodeArgs: readonly string[] = [],
): Promise<Server> {
  const port = await findFreePort();
  const child = await startChild(
    join(ROOT, file),
    { ...env, PORT: String(port) },
    { isReady: /api_listening/, nodeArgs },
  );
  return { child, port };
}

function toTarget(name: string, server: Server, request: LoadOptions): Target {
  return {
    name,
    server,
    request,
    uses: listComponents(server),
    figures: { rates: [], p50: [], p99: [], cpu: [], postgres: [], redis: [], generator: [], all: [] },
  };
}

async function measure({ name, server, request, uses, figures }: Target): Promise<void> {
  const before = cpuOfAll(server);
  const result = await load(server, request, SECONDS);
  const after = cpuOfAll(server);
  const accepted = result['2xx'] * (request.isBatch ? BATCH : 1);
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${name}: ${result.non2xx} requests were rejected, ${result.errors} failed`);
  const us = usEach(before, after, accepted);
  figures.rates.push(accepted / result.duration);
  figures.p50.push(result.latency.p50);
  figures.p99.push(result.latency.p99);
  for (const component of ['cpu', 'postgres', 'redis', 'generator'] as const) figures[component].push(us[component]);
  figures.all.push((['cpu', 'generator', ...uses] as const).reduce((sum, component) => sum + us[component], 0));
}

function cpuOfAll({ child }: Server) {
  const { user, system } = process.cpuUsage();
  return {
    cpu: child.cpuSeconds(),
    ...stack.cpuSeconds(),
    generator: (user + system) / 1e6,
  };
}

async function load(
  { port }: Server,
  { connections, isBatch = false, body = isBatch ? batch : raw, withKey = false }: LoadOptions,
  seconds: number,
): Promise<autocannon.Result> {
  return await autocannon({
    url: `http://127.0.0.1:${port}/api/v1/emails${isBatch ? '/batch' : ''}`,
    method: 'POST',
    headers: {
      Authorization: `Bearer ${stack.key}`,
      'Content-Type': 'application/json',
      ...(withKey && { 'Idempotency-Key': '[<id>]' }),
    },
    idReplacement: withKey,
    body,
    connections,
    duration: seconds,
  });
}

/** Uses a new API process, because recording the waits takes time. */
async function measureWaits(): Promise<Row[]> {
  const server = await openServer(API, { ...stack.env, NODE_ENV: 'bench' }, RECORD_WAITS_ARGS);
  await load(server, accept.request, WARM_UP_SECONDS);
  await readWaits(server.child);
  const { result, sessions } = await watchSessions(stack.ctx, load(server, accept.request, SECONDS));
  const waits = await readWaits(server.child);
  await server.child.stop();
  const { duration: seconds, '2xx': accepted } = result;
  return toWaitRows(waits, { accepted, seconds, connections: CONNECTIONS, sessions });
}

/** The servers that a target uses. Only their CPU time counts. */
function listComponents(server: Server): readonly Component[] {
  if (server === posthorn) return ['postgres', 'redis'];
  return server === inserting ? ['postgres'] : [];
}

function toRow({ name, uses, figures }: Target): Row {
  const ofComponent = (component: Component) => (uses.includes(component) ? medianFigure(figures[component]) : '');
  return {
    server: name,
    'requests/s': medianWithRange(figures.rates),
    'p50 ms': medianFigure(figures.p50),
    'p99 ms': medianFigure(figures.p99),
    'CPU us/request': medianFigure(figures.cpu),
    'Postgres us': ofComponent('postgres'),
    'Redis us': ofComponent('redis'),
    'generator us': medianFigure(figures.generator),
    'all us': medianFigure(figures.all),
  };
}
