import { join } from 'node:path';
import { freePort } from '@posthorn/servers';
import autocannon from 'autocannon';
import { type Child, startChild } from './support/child.js';
import { median, type Row, report, spread } from './support/report.js';
import { openStack } from './support/stack.js';

/**
 * What accepting an email costs, everything durable, beside stock Express and bare node:http that
 * answer 202 to the same request: in turns, in one run, medians of several rounds.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SECONDS = Number(process.env.SECONDS ?? 3);
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 50);

const ROOT = join(import.meta.dirname, '..');
const body = JSON.stringify({
  to: ['jane@example.com'],
  subject: 'Your order has been shipped',
  html: `<p>${'All is well. '.repeat(70)}</p>`,
  text: 'All is well. '.repeat(45),
});

type Target = {
  name: string;
  child: Child;
  port: number;
  rates: number[];
  p50: number[];
  p99: number[];
  cpu: number[];
};

const stack = await openStack();
const targets = [
  await openTarget('posthorn', 'apps/api/dist/main.js', { ...stack.env, NODE_ENV: 'bench' }),
  await openTarget('express 202', 'bench/baselines/express-202.ts', { NODE_ENV: 'production' }),
  await openTarget('node:http 202', 'bench/baselines/http-202.ts', {}),
];
for (const target of targets) await load(target, 1);
for (let round = 0; round < ROUNDS; round += 1) {
  for (const target of targets) await measure(target);
}
const memory = targets[0]?.child.memoryMb() ?? 0;
for (const { child } of targets) await child.stop();
await stack.close();

const [posthorn, express, http] = targets as [Target, Target, Target];
report('accept', targets.map(toRow), {
  'rate / express': (median(posthorn.rates) / median(express.rates)).toFixed(2),
  'rate / node:http': (median(posthorn.rates) / median(http.rates)).toFixed(2),
  'p99 / express': (median(posthorn.p99) / median(express.p99)).toFixed(2),
  'API memory, MB': Math.round(memory),
});

async function openTarget(name: string, file: string, env: NodeJS.ProcessEnv): Promise<Target> {
  const port = await freePort();
  const child = await startChild(join(ROOT, file), { ...env, PORT: String(port) }, /api_listening/);
  return { name, child, port, rates: [], p50: [], p99: [], cpu: [] };
}

async function measure(target: Target): Promise<void> {
  const before = target.child.cpuSeconds();
  const result = await load(target, SECONDS);
  const accepted = result['2xx'];
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${target.name}: ${result.non2xx} refused, ${result.errors} failed`);
  target.rates.push(accepted / result.duration);
  target.p50.push(result.latency.p50);
  target.p99.push(result.latency.p99);
  target.cpu.push(((target.child.cpuSeconds() - before) / accepted) * 1e6);
}

function load({ port }: Target, seconds: number): Promise<autocannon.Result> {
  return autocannon({
    url: `http://127.0.0.1:${port}/api/v1/emails`,
    method: 'POST',
    headers: { Authorization: `Bearer ${stack.key}`, 'Content-Type': 'application/json' },
    body,
    connections: CONNECTIONS,
    duration: seconds,
  });
}

function toRow({ name, rates, p50, p99, cpu }: Target): Row {
  return {
    server: name,
    'requests/s': spread(rates),
    'p50 ms': median(p50),
    'p99 ms': median(p99),
    'CPU us/request': Math.round(median(cpu)),
  };
}
