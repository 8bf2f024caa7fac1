import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bells, openBells } from './support/bells.js';
import { type Child, startChild } from './support/child.js';
import { cpuSecondsOfEnded, cpuSecondsOfTree } from './support/cpu.js';
import { connectPatiently, databaseNow, deliveryRate, fillWaiting, isDrained } from './support/fill-store.js';
import { opensslSignsPerSecond } from './support/openssl.js';
import { median, type Row, report, spread } from './support/report.js';
import { isInstalled, startSink } from './support/smtp-sink.js';
import { openStack, type Stack } from './support/stack.js';

/**
 * What delivering an email costs, from the claim to the recorded outcome, everything durable: waiting mail
 * is drained by one worker and by two, beside a bare loop around a nodemailer pool and Postfix'
 * smtp-source, which remember nothing. In turns, in one run, to one SMTP sink, medians of several rounds.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 5);
/** In each round; 20,000 in all. Of the large ones an eighth. */
const EMAILS = Number(process.env.EMAILS ?? 4_000);
const LARGE_SHARE = 1 / 8;
/** So many as a group of requests under load. */
const MAILS_PER_BELL = 25;
/** Emails that a worker holds at a time, and sessions of the others; by default a worker holds 20. */
const IN_HAND = process.env.IN_HAND ?? '100';

const ROOT = join(import.meta.dirname, '..');
const WORKER = join(ROOT, 'apps/worker/dist/main.js');
const WITHOUT_SIGNATURE = ['--import', join(import.meta.dirname, 'support/without-signature.mjs')];
// Renamed it would sign all the same.
accessSync(join(ROOT, 'apps/worker/dist/dkim/sign-message.js'));

const FROM = 'bench@posthorn.localhost';
const text = 'All is well. '.repeat(45);
const sizes = [
  { name: '1.5 KB', html: `<p>${'All is well.\r\n'.repeat(107)}</p>`, count: EMAILS },
  { name: '100 KB', html: `<p>${'All is well.\r\n'.repeat(7_300)}</p>`, count: Math.ceil(EMAILS * LARGE_SHARE) },
];
type Size = (typeof sizes)[number];

type Run = { rate: number; usOf: (party: 'own' | 'postgres' | 'redis') => number };
type Target = { name: string; run: (size: Size) => Promise<Run>; peakMb?: () => number };
type Figures = Record<'rates' | 'own' | 'postgres' | 'redis' | 'sink', number[]>;

const sink = await startSink();
const closers: Array<() => Promise<void>> = [];

const unsigned = await workerTarget('one worker, without the signature', 1, WITHOUT_SIGNATURE);
const signed = await workerTarget('one worker', 1);
const composing = await poolTarget('nodemailer pool, composing', false);
const targets: Target[] = [
  unsigned,
  signed,
  await workerTarget('two workers, without the signature', 2, WITHOUT_SIGNATURE),
  await workerTarget('two workers', 2),
  composing,
  await poolTarget('nodemailer pool, given raw', true),
  ...(isInstalled('smtp-source') ? [postfixTarget()] : []),
];

const cases = sizes.flatMap((size) => targets.map((target) => ({ target, size, figures: noFigures() })));
const opensslRates: number[] = [];
for (const each of cases) await measure(each);
for (const each of cases) each.figures = noFigures();
for (let round = 0; round < ROUNDS; round += 1) {
  const rate = opensslSignsPerSecond();
  if (rate !== null) opensslRates.push(rate);
  for (const each of cases) await measure(each);
}
const peaks = new Map(targets.map((target) => [target, target.peakMb?.() ?? Number.NaN]));
for (const close of closers) await close();
await sink.stop();

const small = (target: Target) => figuresOf(target, sizes[0] as Size);
report('deliver', cases.map(toRow), {
  'unsigned / nodemailer composing': (median(small(unsigned).rates) / median(small(composing).rates)).toFixed(2),
  'the same in CPU of the process': (median(small(composing).own) / median(small(unsigned).own)).toFixed(2),
  'openssl signs/s': Math.round(median(opensslRates)),
  'signed / openssl': (median(small(signed).rates) / median(opensslRates)).toFixed(2),
  'worker, peak MB': Math.round(Math.max(...[unsigned, signed].map((target) => peaks.get(target) ?? 0))),
  sink: sink.name,
});

async function workerTarget(name: string, workers: number, nodeArgs: readonly string[] = []): Promise<Target> {
  const stack = await openStack();
  const bells = openBells(stack.ctx);
  const db = await connectPatiently(stack.env.DATABASE_URL as string);
  const env = { ...stack.env, NODE_ENV: 'bench', SMTP_URL: sink.url, WORKER_CONCURRENCY: IN_HAND };
  const children = await Promise.all(
    Array.from({ length: workers }, () => startChild(WORKER, env, { isReady: /worker_ready/, nodeArgs })),
  );
  closers.push(async () => {
    await Promise.all(children.map((child) => child.stop()));
    await bells.close();
    await db.destroy();
    await stack.close();
  });
  return {
    name,
    run: (size) => drain({ stack, bells, db, children }, size),
    peakMb: () => Math.max(...children.map((child) => child.peakMb())),
  };
}

type Service = { stack: Stack; bells: Bells; db: Awaited<ReturnType<typeof connectPatiently>>; children: Child[] };

async function drain({ stack, bells, db, children }: Service, { html, count }: Size): Promise<Run> {
  const { pids, workspaceId, ctx } = stack;
  const cpu = () => ({
    own: children.reduce((sum, child) => sum + child.cpuSeconds(), 0),
    postgres: cpuSecondsOfTree(pids.postgres),
    redis: cpuSecondsOfTree(pids.redis),
  });
  const since = await databaseNow(ctx);
  let before = cpu();
  const ids = await fillWaiting(db, { workspaceId, from: FROM, html, text }, count, () => {
    before = cpu();
  });
  await bells.ring(workspaceId, ids, MAILS_PER_BELL);
  while (!(await isDrained(ctx))) await sleep(100);
  const after = cpu();
  return { rate: await deliveryRate(ctx, since), usOf: (party) => ((after[party] - before[party]) / count) * 1e6 };
}

async function poolTarget(name: string, isRaw: boolean): Promise<Target> {
  const child = await startChild(join(import.meta.dirname, 'baselines/nodemailer-pool.ts'), {
    SMTP_PORT: String(sink.port),
    CONNECTIONS: IN_HAND,
  });
  closers.push(() => child.stop());
  return {
    name,
    async run({ html, count }) {
      const before = child.cpuSeconds();
      child.process.send({ count, html, text, isRaw });
      const [ms] = (await once(child.process, 'message')) as [number];
      const us = ((child.cpuSeconds() - before) / count) * 1e6;
      return { rate: count / (ms / 1_000), usOf: (party) => (party === 'own' ? us : 0) };
    },
    peakMb: () => child.peakMb(),
  };
}

/** As many bytes in each message, over as many sessions. */
function postfixTarget(): Target {
  return {
    name: "Postfix' smtp-source",
    async run({ html, count }) {
      const length = html.length + text.length + 700;
      const args = [
        '-d',
        '-s',
        IN_HAND,
        '-m',
        String(count),
        '-l',
        String(length),
        '-f',
        FROM,
        '-t',
        'jane@example.com',
      ];
      const cpuBefore = cpuSecondsOfEnded();
      const began = performance.now();
      execFileSync('smtp-source', [...args, `127.0.0.1:${sink.port}`]);
      const seconds = (performance.now() - began) / 1_000;
      const us = ((cpuSecondsOfEnded() - cpuBefore) / count) * 1e6;
      return { rate: count / seconds, usOf: (party) => (party === 'own' ? us : 0) };
    },
  };
}

async function measure({ target, size, figures }: { target: Target; size: Size; figures: Figures }): Promise<void> {
  const sinkBefore = sink.cpuSeconds();
  const { rate, usOf } = await target.run(size);
  figures.rates.push(rate);
  for (const party of ['own', 'postgres', 'redis'] as const) figures[party].push(usOf(party));
  figures.sink.push(((sink.cpuSeconds() - sinkBefore) / size.count) * 1e6);
}

function noFigures(): Figures {
  return { rates: [], own: [], postgres: [], redis: [], sink: [] };
}

function figuresOf(target: Target, size: Size): Figures {
  return cases.find((each) => each.target === target && each.size === size)?.figures ?? noFigures();
}

function toRow({ target, size, figures }: (typeof cases)[number]): Row {
  const us = (values: readonly number[]) => Math.round(median(values)) || '';
  return {
    'who delivers': target.name,
    html: size.name,
    'emails/s': spread(figures.rates),
    'CPU us/email': us(figures.own),
    'Postgres us': us(figures.postgres),
    'Redis us': us(figures.redis),
    'sink us': us(figures.sink),
    'peak MB': Math.round(peaks.get(target) ?? 0) || '',
  };
}
