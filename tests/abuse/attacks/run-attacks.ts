import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWorkspace } from '@posthorn/domain/accounts';
import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { setWorkspaceLimits } from '@posthorn/domain/workspaces';
import { forkProgram, readResidentMb } from '@posthorn/testing';
import { type Child, startChild } from '../../../bench/support/child.js';
import { startSink } from '../../../bench/support/smtp-sink.js';
import { openWorkspace, type Stack } from '../../../bench/support/stack.js';
import { table } from '../../../bench/support/table.js';
import { ROOT, startApi } from '../start-api.js';
import type { Attack, AttackReport, Target } from './attack.js';
import type { AttackJob } from './attacker.js';
import { attacks } from './attacks.js';
import { type Latencies, sendSteadily } from './send-steadily.js';

/** How many times higher the second tenant's p99 may be during an attack. */
const MAX_SLOWDOWN = 5;
const MAX_MEMORY_MB = 400;
const WARM_UP_SECONDS = 8;
/** The pause after an attack, so that the service is idle when the next one starts. */
const PAUSE_MS = 1_500;

type Result = {
  readonly attack: Attack;
  readonly latencies: Latencies;
  readonly report: AttackReport;
  readonly memory: Memory;
};
type Memory = { readonly api: number; readonly worker: number };

/**
 * Attacks a real API and worker while a second tenant sends at a steady pace.
 * @param name runs only attacks whose names contain this text
 * @returns the failures
 */
export async function runAttacks(
  stack: Stack,
  { seconds, name }: { seconds: number; name: string },
): Promise<string[]> {
  const sink = await startSink();
  // The rate limit that production has by default, not the one that the benchmarks use.
  const env = { RATE_LIMIT_PER_MINUTE: '60', SMTP_URL: sink.url };
  const api = await startApi(stack, env);
  const worker = await startChild(
    join(ROOT, 'apps/worker/dist/main.js'),
    { ...stack.env, ...env },
    { isReady: /worker_ready/ },
  );
  try {
    const victim = await openVictim(stack, api.url);
    await sendSteadily(victim, WARM_UP_SECONDS);
    const normal = await sendSteadily(victim, 2 * seconds);
    const results: Result[] = [];
    const chosen = attacks.filter((attack) => attack.name.includes(name));
    for (const [index, attack] of chosen.entries()) {
      const target = await openTarget(stack, api.url, index);
      const job = { name: attack.name, target, localAddress: `127.0.1.${index + 1}` };
      const { latencies, report, memory } = await underAttack(job, { api, worker }, () =>
        sendSteadily(victim, seconds),
      );
      results.push({ attack, latencies, report, memory });
      await sleep(PAUSE_MS);
    }
    show(normal, results);
    return results.flatMap((result) => listFailures(result, normal));
  } finally {
    await worker.stop();
    await api.stop();
    await sink.stop();
  }
}

/** A tenant whose rate limit is never reached. */
async function openVictim({ ctx }: Stack, url: string): Promise<{ url: string; key: string }> {
  const { workspaceId, key } = await openWorkspace(ctx, 'victim');
  await setWorkspaceLimits(ctx, operator, workspaceId, { rate: 100_000 });
  return { url, key };
}

/** Each attack gets a workspace of its own, because an attack uses up the rate limit of its workspace. */
async function openTarget({ ctx }: Stack, url: string, index: number): Promise<Target> {
  const { workspaceId } = await createWorkspace(ctx, {
    name: `attacker ${index}`,
    email: `attacker${index}@example.com`,
    passwordHash: 'nobody logs in',
    planId: 'free',
  });
  const { text: key } = await createKey(ctx, operator, workspaceId, {
    name: 'attack',
    scopes: ['emails:send', 'emails:read', 'templates:write'],
    expiresAt: null,
  });
  const post = async (path: string, body: object): Promise<string> => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (response.status >= 300) throw new Error(`${path} answered ${response.status}`);
    return ((await response.json()) as { id: string }).id;
  };
  const [html, text] = ['"'.repeat(2_000_000), 'ж'.repeat(1_000_000)];
  const scheduled = new Date(Date.now() + 86_400_000).toISOString();
  return {
    url,
    key,
    templateId: await post('/api/v1/templates', { name: 'Large', subject: 's', html_body: html, text_body: text }),
    emailId: await post('/api/v1/emails', { to: ['a@example.com'], subject: 's', html, text, scheduled_at: scheduled }),
  };
}

async function underAttack(
  job: AttackJob,
  { api, worker }: { api: Child; worker: Child },
  work: () => Promise<Latencies>,
): Promise<Omit<Result, 'attack'>> {
  const attacker = forkProgram(join(import.meta.dirname, 'attacker.ts'));
  await attacker.ask(job);
  const watch = watchMemory(api, worker);
  try {
    const latencies = await work();
    return { latencies, report: await attacker.ask<AttackReport>('stop'), memory: watch.peak() };
  } finally {
    watch.stop();
    attacker.process.kill('SIGKILL');
  }
}

function watchMemory(api: Child, worker: Child) {
  let peak = { api: 0, worker: 0 };
  const read = (child: Child) => readResidentMb(child.process.pid as number);
  const timer = setInterval(() => {
    peak = { api: Math.max(peak.api, read(api)), worker: Math.max(peak.worker, read(worker)) };
  }, 50);
  return { peak: (): Memory => peak, stop: () => clearInterval(timer) };
}

function show(normal: Latencies, results: readonly Result[]): void {
  const ms = (value: number) => value.toFixed(1);
  const rows = [
    {
      attack: 'none',
      from: '',
      'p50 ms': ms(normal.p50),
      'p99 ms': ms(normal.p99),
      'times normal': '1.0',
      failed: normal.failed,
      'API MB': '',
      'worker MB': '',
      responses: '',
    },
    ...results.map(({ attack, latencies, report, memory }) => ({
      attack: attack.name,
      from: attack.from,
      'p50 ms': ms(latencies.p50),
      'p99 ms': ms(latencies.p99),
      'times normal': (latencies.p99 / normal.p99).toFixed(1),
      failed: latencies.failed,
      'API MB': Math.round(memory.api),
      'worker MB': Math.round(memory.worker),
      responses: [
        ...Object.entries(report.byStatus).map(([status, count]) => `${status} x ${count}`),
        `closed x ${report.closed}`,
      ].join(', '),
    })),
  ];
  process.stdout.write(`${table(rows)}\n\n`);
}

function listFailures({ attack, latencies, memory }: Result, normal: Latencies): string[] {
  const slowdown = latencies.p99 / normal.p99;
  const peak = Math.max(memory.api, memory.worker);
  return [
    ...(slowdown < MAX_SLOWDOWN
      ? []
      : [
          `the other tenant's p99 was ${slowdown.toFixed(1)} times its p99 without an attack; the limit is ${MAX_SLOWDOWN}`,
        ]),
    ...(latencies.failed === 0 ? [] : [`${latencies.failed} of the other tenant's ${latencies.sends} sends failed`]),
    ...(peak < MAX_MEMORY_MB ? [] : [`a process used ${Math.round(peak)} MB; the limit is ${MAX_MEMORY_MB}`]),
  ].map((failure) => `${attack.name}, with ${attack.from}: ${failure}`);
}
