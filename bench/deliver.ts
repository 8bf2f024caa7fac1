import { once } from 'node:events';
import { accessSync } from 'node:fs';
import { join } from 'node:path';
import type { PoolMode, PoolOrder } from './baselines/nodemailer-pool.js';
import { startChild } from './support/child.js';
import { cpuBoundRate } from './support/cpu.js';
import { type Figure, median, medianFigure, medianWithRange } from './support/figure.js';
import { type DrainResult, openWorkers } from './support/open-workers.js';
import { opensslSignsPerSecond } from './support/openssl.js';
import { report } from './support/report.js';
import { startSink } from './support/smtp-sink.js';
import type { Row } from './support/table.js';

/**
 * Measures what it costs to deliver an email durably, from the claim to the recorded outcome. One worker and two
 * workers drain waiting emails. The baseline is a bare loop around a nodemailer pool, which stores nothing. Each round
 * runs them in turn against the same SMTP sink.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 5);
/**
 * Emails per round, enough for two seconds of work. In a shorter run, the slots that are empty at its start and end
 * would distort the result.
 */
const EMAILS = Number(process.env.EMAILS ?? 8_000);
/**
 * The number of large emails, as a share of EMAILS. The kernel counts CPU time in hundredths of a second, so with too
 * few emails, the figure for Redis would be noise.
 */
const LARGE_SHARE = 1 / 4;
/** The number of emails in the warm-up, as a share of EMAILS. The warm-up gives V8 time to compile the hot code. */
const WARM_UP_SHARE = 1 / 4;
/**
 * Slots of a worker, and SMTP sessions of the baselines. The first number is used for everything, and the others only
 * for one worker and the pool that composes. 20 is the default of WORKER_CONCURRENCY.
 */
const [SLOTS = 75, ...FEWER] = (process.env.SLOTS ?? '75,20').split(',').map(Number);

const UNSIGNED = ['--import', join(import.meta.dirname, 'support/without-signature.mjs')];
// If the file moved, the worker would sign messages without any warning.
accessSync(join(import.meta.dirname, '../packages/message/dist/dkim.js'));

const SENDER = 'bench@posthorn.localhost';
const text = 'All is well. '.repeat(45);
const sizes = [
  { name: '1.5 kB', html: `<p>${'All is well.\r\n'.repeat(107)}</p>`, count: EMAILS },
  { name: '100 kB', html: `<p>${'All is well.\r\n'.repeat(7_300)}</p>`, count: Math.ceil(EMAILS * LARGE_SHARE) },
];
type Size = (typeof sizes)[number];

type RunResult = { rate: number; us: Partial<DrainResult['us']> };
type Target = { name: string; sizes: readonly Size[]; run: (size: Size) => Promise<RunResult>; peakMb?: () => number };
type Figures = Record<'rates' | 'own' | 'postgres' | 'redis' | 'sink' | 'all', number[]>;

const sink = await startSink();
const closers: Array<() => Promise<void>> = [];
let versions = {};
const onlySmall = sizes.slice(0, 1);

const unsigned = await workerTarget('one worker, unsigned', { nodeArgs: UNSIGNED });
const signed = await workerTarget('one worker', {});
const composing = await poolTarget('nodemailer pool, composing', 'composed');
const floor = await poolTarget('nodemailer pool, finished messages, one RSA signature each', 'raw-signed', {
  of: onlySmall,
});
const withFewer = await Promise.all(
  FEWER.map(async (slots) => ({
    slots,
    unsigned: await workerTarget(`one worker, unsigned, ${slots} slots`, {
      nodeArgs: UNSIGNED,
      slots,
      of: onlySmall,
    }),
    signed: await workerTarget(`one worker, ${slots} slots`, { slots, of: onlySmall }),
    composing: await poolTarget(`nodemailer pool, composing, ${slots} sessions`, 'composed', {
      slots,
      of: onlySmall,
    }),
    signing: await poolTarget(`nodemailer pool, composing and signing, ${slots} sessions`, 'composed-signed', {
      slots,
      of: onlySmall,
    }),
  })),
);
const targets: Target[] = [
  unsigned,
  signed,
  await workerTarget('two workers', { workers: 2 }),
  composing,
  await poolTarget('nodemailer pool, finished messages', 'raw'),
  floor,
  ...withFewer.flatMap((target) => [target.unsigned, target.signed, target.composing, target.signing]),
];

const cases = targets.flatMap((target) => target.sizes.map((size) => ({ target, size, figures: noFigures() })));
cases.sort((a, b) => sizes.indexOf(a.size) - sizes.indexOf(b.size));
const opensslRates: number[] = [];
for (const { target, size } of cases) await target.run({ ...size, count: Math.ceil(size.count * WARM_UP_SHARE) });
for (let round = 0; round < ROUNDS; round += 1) {
  const rate = opensslSignsPerSecond();
  if (rate !== null) opensslRates.push(rate);
  for (const each of cases) await measure(each);
}
const peaks = new Map(targets.map((target) => [target, target.peakMb?.() ?? Number.NaN]));
for (const close of closers) await close();
await sink.stop();

const small = (target: Target) => getFigures(target, sizes[0] as Size);
const ratio = (values: readonly number[], base: readonly number[]) => (median(values) / median(base)).toFixed(2);
report('deliver', 'emails', {
  rows: cases.map(toRow),
  ratios: {
    'unsigned / nodemailer composing': ratio(small(unsigned).rates, small(composing).rates),
    ...Object.fromEntries(
      withFewer.flatMap((each) => [
        [`with ${each.slots} slots`, ratio(small(each.unsigned).rates, small(each.composing).rates)],
        [`signed, ${each.slots} slots`, ratio(small(each.signed).rates, small(each.signing).rates)],
      ]),
    ),
    'openssl signs/s': opensslRates.length > 0 ? medianFigure(opensslRates) : '',
    'signed / openssl': ratio(small(signed).rates, opensslRates),
    'signed / raw and signature': ratio(small(signed).rates, small(floor).rates),
    'signed / CPU bound': (median(small(signed).rates) / cpuBoundRate(median(small(signed).all))).toFixed(2),
  },
  settings: { ROUNDS, EMAILS, LARGE_SHARE, WARM_UP_SHARE, SLOTS: [SLOTS, ...FEWER].join(','), ...versions },
});

type TargetOptions = { workers?: number; slots?: number; nodeArgs?: readonly string[]; of?: readonly Size[] };

async function workerTarget(
  name: string,
  { workers: count = 1, slots = SLOTS, nodeArgs = [], of = sizes }: TargetOptions,
): Promise<Target> {
  const { drain, peakMb, close, ...workers } = await openWorkers({
    workers: count,
    slots,
    nodeArgs,
    smtpUrl: sink.url,
  });
  closers.push(close);
  versions = workers.versions;
  return { name, sizes: of, run: ({ html, count }: Size) => drain({ from: SENDER, html, text }, count), peakMb };
}

async function poolTarget(
  name: string,
  mode: PoolMode,
  { slots = SLOTS, of = sizes }: Pick<TargetOptions, 'slots' | 'of'> = {},
): Promise<Target> {
  const child = await startChild(join(import.meta.dirname, 'baselines/nodemailer-pool.ts'), {
    SMTP_PORT: String(sink.port),
    CONNECTIONS: String(slots),
  });
  closers.push(() => child.stop());
  return {
    name,
    sizes: of,
    async run({ html, count }) {
      const before = child.cpuSeconds();
      child.process.send({ count, html, text, mode } satisfies PoolOrder);
      const [ms] = (await once(child.process, 'message')) as [number];
      return { rate: count / (ms / 1_000), us: { own: ((child.cpuSeconds() - before) / count) * 1e6 } };
    },
    peakMb: () => child.peakMb(),
  };
}

async function measure({ target, size, figures }: { target: Target; size: Size; figures: Figures }): Promise<void> {
  const sinkBefore = sink.cpuSeconds();
  const { rate, us } = await target.run(size);
  figures.rates.push(rate);
  const ofAll = { own: 0, postgres: 0, redis: 0, ...us, sink: ((sink.cpuSeconds() - sinkBefore) / size.count) * 1e6 };
  for (const component of ['own', 'postgres', 'redis', 'sink'] as const) figures[component].push(ofAll[component]);
  figures.all.push(Object.values(ofAll).reduce((sum, each) => sum + each, 0));
}

function noFigures(): Figures {
  return { rates: [], own: [], postgres: [], redis: [], sink: [], all: [] };
}

function getFigures(target: Target, size: Size): Figures {
  return cases.find((each) => each.target === target && each.size === size)?.figures ?? noFigures();
}

function toRow({ target, size, figures }: (typeof cases)[number]): Row {
  const us = (values: readonly number[]): Figure | '' => (median(values) > 0 ? medianFigure(values) : '');
  return {
    sender: target.name,
    html: size.name,
    'emails/s': medianWithRange(figures.rates),
    'CPU us/email': us(figures.own),
    'Postgres us': us(figures.postgres),
    'Redis us': us(figures.redis),
    'sink us': us(figures.sink),
    'all us': us(figures.all),
    'peak MB': Math.round(peaks.get(target) ?? 0) || '',
  };
}
