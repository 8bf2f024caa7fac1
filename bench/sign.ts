import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { messageParts } from '@posthorn/testing';
// This is the build that production runs.
import { buildMessage, signMessage } from '../packages/message/dist/index.js';
import { median, medianWithRange } from './support/figure.js';
import { opensslSignsPerSecond } from './support/openssl.js';
import { report } from './support/report.js';
import type { Row } from './support/table.js';

/**
 * Measures what DKIM signing costs, compared with the bare RSA-2048 signature that it needs. Each round measures the
 * targets in turn.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 7);
const SIGNS = Number(process.env.SIGNS ?? 2_000);

/** The default of WORKER_CONCURRENCY. */
const IN_HAND = 20;

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const key = { domain: 'mail.example.com', selector: 'ph0a1b2c3d', privateKey };
const message = buildMessage(
  messageParts({ html: `<p>${'All is well. '.repeat(70)}</p>`, text: 'All is well. '.repeat(45) }),
);
const digestInput = message.subarray(0, 1_000);
const signInThreadPool = promisify<string, Buffer, KeyObject, Buffer>(sign);

type Target = { name: string; inHand: number; run: () => unknown; cpu: number[]; rates: number[] };

const target = (name: string, inHand: number, run: () => unknown): Target => ({
  name,
  inHand,
  run,
  cpu: [],
  rates: [],
});

const bare = target('crypto.sign, in this thread', 1, () => sign('sha256', digestInput, privateKey));
const bareMany = target(`crypto.sign, thread pool, ${IN_HAND} at a time`, IN_HAND, () =>
  signInThreadPool('sha256', digestInput, privateKey),
);
const ours = target('signMessage, one at a time', 1, () => signMessage(message, key));
const oursMany = target(`signMessage, ${IN_HAND} at a time`, IN_HAND, () => signMessage(message, key));
const openssl = target('openssl speed rsa2048', 1, () => {});
const targets = [bare, ours, bareMany, oursMany];

for (const each of targets) await measure(each);
for (const each of targets) {
  each.cpu.length = 0;
  each.rates.length = 0;
}
for (let round = 0; round < ROUNDS; round += 1) {
  measureOpenssl();
  for (const each of targets) await measure(each);
}

report(
  'sign',
  [...(openssl.cpu.length > 0 ? [openssl] : []), ...targets].map(toRow),
  {
    'signMessage / crypto.sign': ratio(oursMany, bare),
    ...(openssl.cpu.length > 0 && { 'signMessage / openssl speed': ratio(oursMany, openssl) }),
    'signMessage / crypto.sign, thread pool': ratio(oursMany, bareMany),
    'signMessage, one at a time / crypto.sign': ratio(ours, bare),
  },
  { ROUNDS, SIGNS, IN_HAND, 'OpenSSL of Node': process.versions.openssl ?? '' },
);

/** CPU time covers all threads, including the thread pool. */
async function measure({ inHand, run, cpu, rates }: Target): Promise<void> {
  const cpuBefore = process.cpuUsage();
  const before = performance.now();
  let left = SIGNS;
  const loop = async () => {
    while (left-- > 0) await run();
  };
  await Promise.all(Array.from({ length: inHand }, loop));
  const { user, system } = process.cpuUsage(cpuBefore);
  cpu.push((user + system) / SIGNS);
  rates.push(SIGNS / ((performance.now() - before) / 1_000));
}

function measureOpenssl(): void {
  const rate = opensslSignsPerSecond();
  if (rate === null) return;
  openssl.cpu.push(1e6 / rate);
  openssl.rates.push(rate);
}

function ratio(one: Target, other: Target): string {
  return (median(one.cpu) / median(other.cpu)).toFixed(2);
}

function toRow({ name, cpu, rates }: Target): Row {
  return { what: name, 'CPU us/sign': medianWithRange(cpu), 'signs/s': medianWithRange(rates) };
}
