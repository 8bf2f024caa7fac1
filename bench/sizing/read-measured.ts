import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cost, Measured } from './model.js';

const FOLDER = join(import.meta.dirname, '../documented');

/** bench:latency sends an email, waits until it is delivered, and pauses for 20 ms. */
const PAUSE_MS = 20;
const MILLISECONDS = 1_000;
const SMALL_KILOBYTES = 1.5;
const LARGE_KILOBYTES = 100;

type Value = number | string | { readonly median: number };
type Row = Readonly<Record<string, Value>>;

/** @param folder bench/documented, or bench/results for the results of your own machine */
export function readMeasured(folder = FOLDER): Measured {
  const rows = (name: string): Row[] => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')).rows;
  const accept = rowWhere(rows('accept'), { server: 'posthorn' });
  const deliver = (html: string) => rowWhere(rows('deliver'), { sender: 'one worker', html });
  const [small, large] = [deliver('1.5 KB'), deliver('100 KB')];
  const [none, every] = rows('webhook-cost');
  const sending = rowWhere(rows('webhooks'), { sender: 'one worker, one webhook' });
  const bytes = rows('bytes');
  if (!none || !every) throw new Error('webhook-cost.json has no rows');
  const perKilobyte = (column: string) =>
    (number(large, column) - number(small, column)) / (LARGE_KILOBYTES - SMALL_KILOBYTES);
  return {
    costs: [oneByOne(rows('latency')), atFixedRate(none, readSettings(folder)), atFullLoad(accept, small)],
    event: { worker: number(sending, 'CPU us/event'), postgres: number(sending, 'Postgres us') },
    log: lineOf(bytes, 'log bytes'),
    content: lineOf(bytes, 'content bytes'),
    email: average(bytes.map((row) => number(row, 'other bytes'))),
    idempotencyKey: average(bytes.map((row) => number(row, 'key bytes'))),
    kilobyte: { worker: perKilobyte('CPU us/email'), postgres: perKilobyte('Postgres us') },
    bodyKilobytes: SMALL_KILOBYTES,
  };
}

type MeasuredCost = Measured['costs'][number];

/** One email at a time, which is delivered before the next one is sent. */
function oneByOne(rounds: Row[]): MeasuredCost {
  const of = (column: string) => median(rounds.map((row) => number(row, column)));
  const cost: Cost = { api: of('API us'), worker: of('worker us'), postgres: of('postgres us'), redis: of('redis us') };
  return { emailsPerSecond: MILLISECONDS / (PAUSE_MS + of('p50 ms')), cost };
}

/** Redis is not measured there, so its part is estimated from that of Postgres. */
function atFixedRate(row: Row, rate: number): MeasuredCost {
  const postgres = number(row, 'Postgres us');
  const cost = {
    api: number(row, 'API us'),
    worker: number(row, 'delivering us'),
    postgres,
    redis: postgres / POSTGRES_TO_REDIS,
  };
  return { emailsPerSecond: rate, cost };
}

/** Postgres takes 2.1 times as much CPU time as Redis one email at a time, and 4.3 times as much at full load. */
const POSTGRES_TO_REDIS = 3;

function atFullLoad(accept: Row, deliver: Row): MeasuredCost {
  const sum = (column: string) => number(accept, column) + number(deliver, column);
  const cost: Cost = {
    api: number(accept, 'CPU us/request'),
    worker: number(deliver, 'CPU us/email'),
    postgres: sum('Postgres us'),
    redis: sum('Redis us'),
  };
  return { emailsPerSecond: Math.min(number(accept, 'requests/s'), number(deliver, 'emails/s')), cost };
}

function readSettings(folder: string): number {
  return JSON.parse(readFileSync(join(folder, 'webhook-cost.json'), 'utf8')).settings.RATE;
}

/** A line through the first and the last size. */
function lineOf(rows: Row[], column: string): { fixed: number; perKilobyte: number } {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) throw new Error('bytes.json has no rows');
  const [low, high] = [number(first, 'html kB'), number(last, 'html kB')];
  const perKilobyte = (number(last, column) - number(first, column)) / (high - low);
  return { fixed: number(first, column) - perKilobyte * low, perKilobyte };
}

function rowWhere(rows: Row[], wanted: Readonly<Record<string, string>>): Row {
  const row = rows.find((one) => Object.entries(wanted).every(([column, value]) => one[column] === value));
  if (!row) throw new Error(`No result with ${JSON.stringify(wanted)}`);
  return row;
}

/** @throws Error if the column is missing, because a renamed column must not count as zero */
function number(row: Row, column: string): number {
  const value = row[column];
  const found = typeof value === 'object' ? value.median : Number(value);
  if (value === undefined || !Number.isFinite(found)) throw new Error(`No number in the column ${column}`);
  return found;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
