import { join } from 'node:path';
import { createTemplate } from '@posthorn/domain';
import { freePort } from '@posthorn/servers';
import autocannon from 'autocannon';
import { RECORDING_WAITS, readWaits, toWaitRows } from './support/accept-waits.js';
import { type Child, startChild } from './support/child.js';
import { rateWithoutPause, usEach } from './support/cpu.js';
import { profileSteps } from './support/profile.js';
import { median, middle, type Row, report, spread } from './support/report.js';
import { openStack } from './support/stack.js';
import { watchSessions } from './support/watch-sessions.js';

/**
 * What accepting an email costs, everything durable, beside stock Express and bare node:http that
 * answer 202 to the same request, and beside node:http that only inserts it into the same Postgres: in
 * turns, in one run, medians of several rounds. Then Posthorn with other numbers of connections and other
 * requests, and where its time goes.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SECONDS = Number(process.env.SECONDS ?? 3);
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 50);
/** Until V8 has compiled what is hot; Express and node:http need less. */
const WARM_UP_SECONDS = Number(process.env.WARM_UP_SECONDS ?? 10);

const ROOT = join(import.meta.dirname, '..');
const API = 'apps/api/dist/main.js';
const content = {
  subject: 'Your order has been shipped',
  html: `<p>${'All is well. '.repeat(70)}</p>`,
  text: 'All is well. '.repeat(45),
};
const raw = JSON.stringify({ to: ['jane@example.com'], ...content });

const stack = await openStack();
const { id: templateId } = await createTemplate(stack.ctx, stack.workspaceId, {
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

type Request = { connections: number; body?: string; withKey?: boolean };
type Server = { child: Child; port: number };
type Party = 'postgres' | 'redis';
type Target = { name: string; server: Server; request: Request; asks: readonly Party[]; figures: Figures };
type Figures = Record<'rates' | 'p50' | 'p99' | 'cpu' | Party | 'generator' | 'all', number[]>;

const posthorn = await openServer(API, { ...stack.env, NODE_ENV: 'bench' });
const express = await openServer('bench/baselines/express-202.ts', { NODE_ENV: 'production' });
const http = await openServer('bench/baselines/http-202.ts');
const inserting = await openServer('bench/baselines/http-insert-202.ts', stack.env);

const accept = toTarget('posthorn', posthorn, { connections: CONNECTIONS });
const byExpress = toTarget('express 202', express, { connections: CONNECTIONS });
const byHttp = toTarget('node:http 202', http, { connections: CONNECTIONS });
const floor = toTarget('node:http + insert, 202', inserting, { connections: CONNECTIONS });
const compared = [accept, byExpress, byHttp, floor];
const others = [
  toTarget('posthorn, Idempotency-Key', posthorn, { connections: CONNECTIONS, withKey: true }),
  toTarget('posthorn, template', posthorn, { connections: CONNECTIONS, body: fromTemplate }),
  toTarget('posthorn, 1 connection', posthorn, { connections: 1 }),
  toTarget('express 202, 1 connection', express, { connections: 1 }),
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
for (const { child } of [posthorn, express, http, inserting]) await child.stop();
const steps = await profileApi();
const waits = await measureWaits();
await stack.close();

const ratio = (figure: 'rates' | 'p99', base: Target) =>
  (median(accept.figures[figure]) / median(base.figures[figure])).toFixed(2);
report(
  'accept',
  targets.map(toRow),
  {
    'rate / express': ratio('rates', byExpress),
    'rate / node:http': ratio('rates', byHttp),
    'rate / floor': ratio('rates', floor),
    'p99 / express': ratio('p99', byExpress),
    'CPU bound / express': (boundOf(accept) / median(byExpress.figures.rates)).toFixed(2),
    'rate / CPU bound': (median(accept.figures.rates) / boundOf(accept)).toFixed(2),
    'API, peak MB': Math.round(memory),
  },
  settings,
);
report('accept-steps', steps, undefined, settings);
report('accept-waits', waits, undefined, settings);

async function openServer(
  file: string,
  env: NodeJS.ProcessEnv = {},
  nodeArgs: readonly string[] = [],
): Promise<Server> {
  const port = await freePort();
  const child = await startChild(
    join(ROOT, file),
    { ...env, PORT: String(port) },
    { isReady: /api_listening/, nodeArgs },
  );
  return { child, port };
}

function toTarget(name: string, server: Server, request: Request): Target {
  return {
    name,
    server,
    request,
    asks: partiesOf(server),
    figures: { rates: [], p50: [], p99: [], cpu: [], postgres: [], redis: [], generator: [], all: [] },
  };
}

async function measure({ name, server, request, asks, figures }: Target): Promise<void> {
  const before = cpuOfAll(server);
  const result = await load(server, request, SECONDS);
  const after = cpuOfAll(server);
  const accepted = result['2xx'];
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${name}: ${result.non2xx} refused, ${result.errors} failed`);
  const us = usEach(before, after, accepted);
  figures.rates.push(accepted / result.duration);
  figures.p50.push(result.latency.p50);
  figures.p99.push(result.latency.p99);
  for (const party of ['cpu', 'postgres', 'redis', 'generator'] as const) figures[party].push(us[party]);
  figures.all.push((['cpu', 'generator', ...asks] as const).reduce((sum, party) => sum + us[party], 0));
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
  { connections, body = raw, withKey = false }: Request,
  seconds: number,
): Promise<autocannon.Result> {
  return await autocannon({
    url: `http://127.0.0.1:${port}/api/v1/emails`,
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

/** By a process of its own. */
function profileApi(): Promise<Row[]> {
  return profileSteps('where the API spends its time', async (nodeArgs, begin) => {
    const server = await openServer(API, { ...stack.env, NODE_ENV: 'bench' }, nodeArgs);
    await load(server, accept.request, WARM_UP_SECONDS);
    begin();
    await load(server, accept.request, SECONDS);
    await server.child.stop();
  });
}

/** Again in a process of its own, which tells by the clock what a send waits for; clocks cost time too. */
async function measureWaits(): Promise<Row[]> {
  const server = await openServer(API, { ...stack.env, NODE_ENV: 'bench' }, RECORDING_WAITS);
  await load(server, accept.request, WARM_UP_SECONDS);
  await readWaits(server.child);
  const { result, sessions } = await watchSessions(stack.ctx, load(server, accept.request, SECONDS));
  const waits = await readWaits(server.child);
  await server.child.stop();
  const { duration: seconds, '2xx': accepted } = result;
  return toWaitRows(waits, { accepted, seconds, connections: CONNECTIONS, sessions });
}

function boundOf({ figures }: Target): number {
  return rateWithoutPause(median(figures.all));
}

/** Only the parties that a server asks: what the others use meanwhile is not its doing. */
function partiesOf(server: Server): readonly Party[] {
  if (server === posthorn) return ['postgres', 'redis'];
  return server === inserting ? ['postgres'] : [];
}

function toRow({ name, asks, figures }: Target): Row {
  const ofParty = (party: Party) => (asks.includes(party) ? middle(figures[party]) : '');
  return {
    server: name,
    'requests/s': spread(figures.rates),
    'p50 ms': middle(figures.p50),
    'p99 ms': middle(figures.p99),
    'CPU us/request': middle(figures.cpu),
    'Postgres us': ofParty('postgres'),
    'Redis us': ofParty('redis'),
    'generator us': middle(figures.generator),
    'all us': middle(figures.all),
  };
}
