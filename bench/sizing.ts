import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Load, type Sizing, size } from './sizing/model.js';
import { readMeasured } from './sizing/read-measured.js';

/** Prints what a load needs (docs/sizing.md). */
const { values } = parseArgs({
  options: {
    'emails-per-second': { type: 'string', default: '10' },
    recipients: { type: 'string', default: '1' },
    'body-kb': { type: 'string', default: '8' },
    webhooks: { type: 'string', default: '0' },
    'with-key': { type: 'string', default: '1' },
    retention: { type: 'string', default: '30,400' },
    'lease-seconds': { type: 'string', default: '60' },
    results: { type: 'string', default: join(import.meta.dirname, 'documented') },
  },
});

const [content = Number.NaN, email = Number.NaN] = values.retention.split(',').map(Number);
const load: Load = {
  emailsPerSecond: positive('emails-per-second'),
  recipients: positive('recipients'),
  bodyKilobytes: positive('body-kb'),
  webhooks: positive('webhooks'),
  withKey: positive('with-key'),
  retentionDays: { content, email },
  leaseSeconds: positive('lease-seconds'),
};
if (!(content > 0 && email > 0)) throw new Error('--retention needs days for content and for emails, such as 30,400');

const rows = describe(size(load, readMeasured(values.results)));
const width = Math.max(...rows.map(([name]) => name.length));
process.stdout.write(`${rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')}\n`);

function positive(name: Exclude<keyof typeof values, 'retention' | 'results'>): number {
  const value = Number(values[name]);
  if (!(value >= 0)) throw new Error(`--${name} must be a number of at least 0`);
  return value;
}

function describe({ cores, processes, logBytesPerSecond, redisBytes, diskBytes }: Sizing): Array<[string, string]> {
  const disk = diskBytes.content + diskBytes.emails + diskBytes.keys;
  return [
    ['cores in use: API', cores.api.toFixed(2)],
    ['cores in use: workers', cores.worker.toFixed(2)],
    ['cores in use: Postgres', cores.postgres.toFixed(2)],
    ['cores in use: Redis', cores.redis.toFixed(2)],
    ['API processes, at least', String(processes.api)],
    ['workers, at least', String(processes.workers)],
    ['Postgres connections, at most', String(processes.connections)],
    ['write-ahead log', `${bytes(logBytesPerSecond)}/s, ${bytes(logBytesPerSecond * 86_400)} a day`],
    ['Redis memory', bytes(redisBytes)],
    ['disk: content of emails', bytes(diskBytes.content)],
    ['disk: the rest of emails', bytes(diskBytes.emails)],
    ['disk: idempotency keys', bytes(diskBytes.keys)],
    ['disk: all', bytes(disk)],
  ];
}

function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, count)) / 3)));
  return `${(count / 1_000 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step]}`;
}
