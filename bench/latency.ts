import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@posthorn/servers';
import { percentile, startRawSmtpServer } from '@posthorn/testing';
import { startChild } from './support/child.js';
import { usEach } from './support/cpu.js';
import { medianFigure } from './support/figure.js';
import { report } from './support/report.js';
import { openStack } from './support/stack.js';

/** Measures how long individual emails take on an idle system, from the 202 to the mail server's 250. */
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const EMAILS = Number(process.env.EMAILS ?? 100);

/** Long enough for an email to be finished before the next one is sent. */
const PAUSE_MS = 20;
const WAIT_MS = 10_000;

const ROOT = join(import.meta.dirname, '..');
const stack = await openStack();

type Component = 'API' | 'worker' | 'postgres' | 'redis';

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
const rounds: Array<{ waits: number[]; us: Record<Component, number> }> = [];
for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measure());
await worker.stop();
await api.stop();
await server.close();
await stack.close();

const inEach = (share: number) =>
  medianFigure(
    rounds.map(({ waits }) => percentile(waits, share) ?? Number.NaN),
    1,
  );
report(
  'latency',
  rounds.map(({ waits, us }, round) => ({
    round: round + 1,
    'p50 ms': ms(percentile(waits, 0.5)),
    'p99 ms': ms(percentile(waits, 0.99)),
    ...Object.fromEntries(Object.entries(us).map(([component, each]) => [`${component} us`, Math.round(each)])),
  })),
  { 'p50 ms (median)': inEach(0.5), 'p99 ms (median)': inEach(0.99), emails: ROUNDS * EMAILS },
  { ROUNDS, EMAILS, ...stack.versions },
);

/** Measures one round. The CPU time per email, in microseconds, includes the pauses. */
async function measure() {
  const before = cpuOfAll();
  const waits = await timeEmails(EMAILS);
  return { waits, us: usEach(before, cpuOfAll(), EMAILS) };
}

function cpuOfAll(): Record<Component, number> {
  return {
    API: api.cpuSeconds(),
    worker: worker.cpuSeconds(),
    ...stack.cpuSeconds(),
  };
}

/** @returns the milliseconds from the 202 to the 250, for each email */
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
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/emails`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${stack.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ to: ['jane@example.com'], subject: 'Your code', text: '123456' }),
  });
  const acceptedAt = performance.now();
  if (response.status !== 202) throw new Error(`A send returned ${response.status}`);
  await response.text();
  for (const deadline = acceptedAt + WAIT_MS; server.messages.length === received; await sleep(1))
    if (performance.now() > deadline) throw new Error(`An email was not handed over in ${WAIT_MS / 1_000} s`);
  // The 250 can come before this process has read the 202.
  return Math.max(0, lastAt - acceptedAt);
}

function ms(value: number | null): string {
  return (value ?? Number.NaN).toFixed(1);
}
