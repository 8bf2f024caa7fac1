import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@posthorn/servers';
import { percentile, startRawSmtpServer } from '@posthorn/testing';
import { startChild } from './support/child.js';
import { usEach } from './support/cpu.js';
import { middle, report } from './support/report.js';
import { openStack } from './support/stack.js';

/**
 * How long an email takes on an idle system, one at a time: from the 202 to the mail server's 250.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const EMAILS = Number(process.env.EMAILS ?? 100);

/** Idle: the email before is done when the next one comes. */
const PAUSE_MS = 20;
const WAIT_MS = 10_000;

const ROOT = join(import.meta.dirname, '..');
const stack = await openStack();

type Party = 'API' | 'worker' | 'postgres' | 'redis';

let lastAt = 0;
const server = await startRawSmtpServer((moment) => {
  if (moment === 'DOT') lastAt = performance.now();
  return undefined;
});
const env = { ...stack.env, NODE_ENV: 'bench', SMTP_URL: server.url };
const port = await freePort();
const api = await startChild(
  join(ROOT, 'apps/api/dist/main.js'),
  { ...env, PORT: String(port) },
  { isReady: /api_listening/ },
);
const worker = await startChild(join(ROOT, 'apps/worker/dist/main.js'), env, { isReady: /worker_ready/ });

await timeEmails(EMAILS);
const rounds: Array<{ waits: number[]; us: Record<Party, number> }> = [];
for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measure());
await worker.stop();
await api.stop();
await server.close();
await stack.close();

const inEach = (share: number) =>
  middle(
    rounds.map(({ waits }) => percentile(waits, share) ?? Number.NaN),
    1,
  );
report(
  'latency',
  rounds.map(({ waits, us }, round) => ({
    round: round + 1,
    'p50 ms': ms(percentile(waits, 0.5)),
    'p99 ms': ms(percentile(waits, 0.99)),
    ...Object.fromEntries(Object.entries(us).map(([party, each]) => [`${party} us`, Math.round(each)])),
  })),
  { 'p50 ms (median)': inEach(0.5), 'p99 ms (median)': inEach(0.99), emails: ROUNDS * EMAILS },
  { ROUNDS, EMAILS, ...stack.versions },
);

/** One round, and the microseconds of processor time for each email, those of waiting for the next included. */
async function measure() {
  const before = cpuOfAll();
  const waits = await timeEmails(EMAILS);
  return { waits, us: usEach(before, cpuOfAll(), EMAILS) };
}

function cpuOfAll(): Record<Party, number> {
  return {
    API: api.cpuSeconds(),
    worker: worker.cpuSeconds(),
    ...stack.cpuSeconds(),
  };
}

/** @returns milliseconds from the 202 to the 250 of each */
async function timeEmails(count: number): Promise<number[]> {
  const waits: number[] = [];
  for (let email = 0; email < count; email += 1) {
    waits.push(await timeEmail());
    await sleep(PAUSE_MS);
  }
  return waits;
}

async function timeEmail(): Promise<number> {
  const received = server.messages.length;
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/emails`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${stack.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ to: ['jane@example.com'], subject: 'Your code', text: '123456' }),
  });
  const acceptedAt = performance.now();
  if (answer.status !== 202) throw new Error(`An email was answered with ${answer.status}`);
  await answer.text();
  for (const deadline = acceptedAt + WAIT_MS; server.messages.length === received; await sleep(1))
    if (performance.now() > deadline) throw new Error('An email was not handed over');
  // It may have been quicker than the way of the 202 to us.
  return Math.max(0, lastAt - acceptedAt);
}

function ms(value: number | null): string {
  return (value ?? Number.NaN).toFixed(1);
}
