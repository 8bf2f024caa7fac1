import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { countJobs } from '@posthorn/domain';
import { freePort } from '@posthorn/servers';
import { percentile } from '@posthorn/testing';
import autocannon from 'autocannon';
import { openBells } from '../support/bells.js';
import { type Child, startChild } from '../support/child.js';
import {
  connectPatiently,
  countWaiting,
  databaseNow,
  deliveryMs,
  fillWaiting,
  ratesBySecond,
  settleTables,
} from '../support/fill-store.js';
import { median, report, spread } from '../support/report.js';
import { startSink } from '../support/smtp-sink.js';
import { openStack, openWorkspace, type Stack } from '../support/stack.js';

/** How many wait; the first is what the others are compared with. */
const WAITING = (process.env.WAITING ?? '10000,100000,1000000').split(',').map(Number);
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SECONDS = Number(process.env.SECONDS ?? 2);
const URGENT = Number(process.env.URGENT ?? 20);
const ONE_BY_ONE = Number(process.env.ONE_BY_ONE ?? 1_000);
const CONNECTIONS = 50;
const MAILS_PER_BELL = 25;
const FILL_AT_ONCE = 50_000;
const URGENT_WITHIN_MS = 60_000;

const ROOT = join(import.meta.dirname, '../..');
const FROM = 'bench@posthorn.localhost';
const content = {
  subject: 'Your order has been shipped',
  html: `<p>${'All is well.\r\n'.repeat(107)}</p>`,
  text: 'All is well.',
};

type Service = { stack: Stack; sinkUrl: string; api: Child; url: string; urgentKey: string };

export async function measureWaiting(): Promise<void> {
  const stack = await openStack();
  const sink = await startSink();
  const port = await freePort();
  const api = await startChild(
    join(ROOT, 'apps/api/dist/main.js'),
    { ...stack.env, NODE_ENV: 'bench', PORT: String(port) },
    { isReady: /api_listening/ },
  );
  const { key: urgentKey } = await openWorkspace(stack.ctx, 'urgent');
  const service = { stack, sinkUrl: sink.url, api, url: `http://127.0.0.1:${port}/api/v1/emails`, urgentKey };

  await load(service, CONNECTIONS, { duration: SECONDS });
  const redis = {
    'Redis B/mail, under load': await redisBytesPerMail(service, () =>
      load(service, CONNECTIONS, { duration: SECONDS }),
    ),
    'Redis B/mail, one by one': await redisBytesPerMail(service, () => load(service, 1, { amount: ONE_BY_ONE })),
  };
  const found = [];
  for (const waiting of WAITING) found.push(await measureWith(service, waiting));
  const apiPeak = api.peakMb();
  await api.stop();
  await sink.stop();
  await stack.close();

  const [few, many] = [found[0], found.at(-1)];
  if (!few || !many) throw new Error('WAITING must name at least one number');
  report(
    'scale-waiting',
    found.map(({ waiting, accepted, heardMs, drained, urgent }) => ({
      waiting,
      'accepted/s': spread(accepted),
      'bells heard, s': (heardMs / 1_000).toFixed(1),
      'drained/s': spread(drained),
      'urgent p50 ms': Math.round(percentile(urgent, 0.5) ?? Number.NaN),
      'urgent max ms': Math.round(Math.max(...urgent)),
    })),
    {
      'accepting, most / fewest': (median(many.accepted) / median(few.accepted)).toFixed(2),
      'draining, most / fewest': (median(many.drained) / median(few.drained)).toFixed(2),
      ...redis,
      'API, peak MB': Math.round(apiPeak),
      'worker, peak MB': Math.round(Math.max(...found.map(({ peakMb }) => peakMb))),
    },
  );
}

async function redisBytesPerMail({ stack }: Service, accept: () => Promise<number>): Promise<number> {
  const { redis } = stack.ctx;
  const used = async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
  const before = await used();
  const mails = await accept();
  await sleep(500);
  return Math.round(((await used()) - before) / mails);
}

/** @returns how many were accepted */
async function load(
  { url, stack }: Service,
  connections: number,
  extent: { duration: number } | { amount: number },
): Promise<number> {
  const result = await autocannon({
    url,
    method: 'POST',
    headers: { Authorization: `Bearer ${stack.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ to: ['jane@example.com'], ...content }),
    connections,
    ...extent,
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} failed`);
  return result['2xx'];
}

async function measureWith(service: Service, waiting: number) {
  const { stack, sinkUrl } = service;
  await fillUpTo(stack, waiting);
  const accepted: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    accepted.push((await load(service, CONNECTIONS, { duration: SECONDS })) / SECONDS);

  const worker = await startChild(
    join(ROOT, 'apps/worker/dist/main.js'),
    { ...stack.env, NODE_ENV: 'bench', SMTP_URL: sinkUrl },
    { isReady: /worker_ready/ },
  );
  const hearing = performance.now();
  while ((await countJobs(stack.ctx.redis)).waiting > 0) await sleep(100);
  const heardMs = performance.now() - hearing;
  const since = await databaseNow(stack.ctx);
  const urgent: number[] = [];
  const until = Date.now() + (ROUNDS + 3) * 1_000;
  for (let mail = 0; mail < URGENT; mail += 1) urgent.push(await sendUrgent(service));
  if (Date.now() < until) await sleep(until - Date.now());
  const peakMb = worker.peakMb();
  await worker.stop();
  const drained = (await ratesBySecond(stack.ctx, since)).slice(1, 1 + ROUNDS);
  return { waiting, accepted, heardMs, drained, urgent, peakMb };
}

async function fillUpTo(stack: Stack, waiting: number): Promise<void> {
  const bells = openBells(stack.ctx);
  const db = await connectPatiently(stack.env.DATABASE_URL as string);
  const filling = { workspaceId: stack.workspaceId, from: FROM, html: content.html, text: content.text };
  for (let missing = waiting - (await countWaiting(db)); missing > 0; missing -= FILL_AT_ONCE) {
    const ids = await fillWaiting(db, filling, Math.min(missing, FILL_AT_ONCE));
    await bells.ring(stack.workspaceId, ids, MAILS_PER_BELL);
  }
  await settleTables(db);
  await db.destroy();
  await bells.close();
}

/** @returns milliseconds from its acceptance to its recorded outcome */
async function sendUrgent({ stack, url, urgentKey }: Service): Promise<number> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${urgentKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ to: ['john@example.com'], subject: 'Your code', text: '123456' }),
  });
  const { id } = (await answer.json()) as { id: string };
  for (const deadline = Date.now() + URGENT_WITHIN_MS; Date.now() < deadline; await sleep(20)) {
    const ms = await deliveryMs(stack.ctx, id);
    if (ms !== null) return ms;
  }
  throw new Error(`An urgent email was not delivered within ${URGENT_WITHIN_MS} ms`);
}
