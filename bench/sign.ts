import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
// What production runs; the worker has no door, as nothing imports an app but its bench.
import { signMessage } from '../apps/worker/dist/dkim/sign-message.js';
import { buildMessage } from '../apps/worker/dist/message/build-message.js';
import { messageParts } from '../apps/worker/test/message/message-parts.js';
import { opensslSignsPerSecond } from './support/openssl.js';
import { median, type Row, report, spread } from './support/report.js';

/**
 * What DKIM costs an email beside the RSA-2048 signature that it cannot do without, as this core makes
 * them: in turns, in one run, medians of several rounds.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 7);
const SIGNS = Number(process.env.SIGNS ?? 2_000);

/** As many as a worker holds, by default. */
const IN_HAND = 20;

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const key = { domain: 'mail.example.com', selector: 'ph0a1b2c3d', privateKey };
const message = buildMessage(
  messageParts({ html: `<p>${'All is well. '.repeat(70)}</p>`, text: 'All is well. '.repeat(45) }),
);
const digestInput = message.subarray(0, 1_000);
const bareAside = promisify<string, Buffer, KeyObject, Buffer>(sign);

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
  bareAside('sha256', digestInput, privateKey),
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
    'an email / crypto.sign': ratio(oursMany, bare),
    ...(openssl.cpu.length > 0 && { 'an email / openssl speed': ratio(oursMany, openssl) }),
    'the same by the thread pool': ratio(oursMany, bareMany),
    'one email at a time': ratio(ours, bare),
  },
  { ROUNDS, SIGNS, IN_HAND, 'OpenSSL of Node': process.versions.openssl ?? '' },
);

/** Processor time counts every thread, so it also tells what the pool does. */
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
  return { what: name, 'CPU us/sign': spread(cpu), 'signs/s': spread(rates) };
}
