import { join } from 'node:path';
import { findFreePort } from '@posthorn/servers';
import { startChild } from './support/child.js';
import { median } from './support/figure.js';
import { opensslSignsPerSecond } from './support/openssl.js';
import { startSink } from './support/smtp-sink.js';
import { openVersion, postEmails } from './support/version.js';

/**
 * Measures in a minute and a half how fast emails are accepted, relative to stock Express, and how fast one worker with
 * the default number of slots delivers them, relative to the signatures that openssl computes on one core. Each is
 * measured in turns with what it is compared with. Compare the ratios before and after a change.
 */
const ROUNDS = 3;
const load = { seconds: 2, connections: 50 };
/** Express reads no key. */
const UNREAD_KEY = 'k'.repeat(70);

const sink = await startSink();
const version = await openVersion(join(import.meta.dirname, '..'), { smtpUrl: sink.url });
const port = await findFreePort();
const express = await startChild(join(import.meta.dirname, 'baselines/express-202.ts'), {
  NODE_ENV: 'production',
  PORT: String(port),
});

const accepting: number[] = [];
const p99: number[] = [];
const delivering: number[] = [];
await measureRound();
for (let round = 0; round < ROUNDS; round += 1) {
  const { posthorn, base, delivered, signed } = await measureRound();
  accepting.push(posthorn.perSecond / base.perSecond);
  p99.push(posthorn.p99 / base.p99);
  if (signed !== null) delivering.push(delivered / signed);
}
await express.stop();
await version.close();
await sink.stop();

print('accepted / Express', accepting);
print('p99 / p99 of Express', p99);
if (delivering.length > 0) print('delivered / signatures of openssl', delivering);
else process.stdout.write('delivered / signatures of openssl: openssl is not installed\n');

async function measureRound() {
  const base = await postEmails({ ...load, port, key: UNREAD_KEY });
  const posthorn = await version.accept(load);
  const signed = opensslSignsPerSecond();
  const delivered = posthorn.emails / (await version.drain());
  await version.vacuum();
  return { base, posthorn, signed, delivered };
}

function print(name: string, ratios: readonly number[]): void {
  const each = ratios.map((ratio) => ratio.toFixed(2)).join(', ');
  process.stdout.write(`${name}: ${median(ratios).toFixed(2)} (${each})\n`);
}
