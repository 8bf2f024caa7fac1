import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWorkspace } from '@posthorn/domain/accounts';
import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { plans } from '@posthorn/domain/plans';
import { setWorkspaceLimits } from '@posthorn/domain/workspaces';
import { forkProgram, readResidentMb } from '@posthorn/testing';
import { type Child, startChild } from '../../../bench/support/child.js';
import { cpuSeconds } from '../../../bench/support/cpu.js';
import { startSink } from '../../../bench/support/smtp-sink.js';
import { openWorkspace, type Stack } from '../../../bench/support/stack.js';
import { table } from '../../../bench/support/table.js';
import { longestBlock } from '../costs/measure-request.js';
import { RECORD_BLOCKING, ROOT, startApi } from '../start-api.js';
import type { Attack, AttackReport, Download, Target } from './attack.js';
import type { AttackJob } from './attacker.js';
import { attacks } from './attacks.js';
import { createDownload, post } from './create-download.js';
import { downloadSteadily, type Latencies, sendSteadily } from './send-steadily.js';

/** How many times higher the second tenant's p99 may be during an attack, unless the attack says why it may be higher. */
const MAX_SLOWDOWN = 3;
const MAX_MEMORY_MB = 400;
const WARM_UP_SECONDS = 8;
/** The pause after an attack, so that the service is idle when the next one starts. */
const PAUSE_MS = 1_500;

/** The other tenant's latencies. `downloads` is null if the attack is not on them. */
type Measured = {
  readonly sends: Latencies;
  readonly downloads: Latencies | null;
  /** How long the event loop of the API was blocked, at most. */
  readonly blockMs: number;
};

type Result = {
  readonly attack: Attack;
  /**
   * Without the attack, directly before it. On a machine that does other work too, the p99 of one minute can be ten times
   * that of the next, so a single measurement for all attacks would say little.
   */
  readonly normal: Measured;
  readonly measured: Measured;
  readonly report: AttackReport;
  readonly memory: Memory;
  readonly growth: Growth;
  /** The share of a core that each process used. */
  readonly cpu: Cpu;
};
type Cpu = { readonly api: number; readonly worker: number; readonly attacker: number };
/** In bytes. `disk` includes what other tenants stored at the same time. */
type Growth = { readonly disk: number; readonly counted: number };
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
  const chosen = attacks.filter((attack) => attack.name.includes(name));
  if (chosen.length === 0) return [];
  const sink = await startSink();
  // The rate limit that production has by default, not the one that the benchmarks use.
  const env = { RATE_LIMIT_PER_MINUTE: '60', SMTP_URL: sink.url };
  const api = await startApi(stack, env, RECORD_BLOCKING);
  const worker = await startChild(
    join(ROOT, 'apps/worker/dist/main.js'),
    { ...stack.env, ...env },
    { isReady: /worker_ready/ },
  );
  try {
    const victim = await openVictim(stack, api.url);
    await sendSteadily(victim, WARM_UP_SECONDS);
    const results: Result[] = [];
    for (const [index, attack] of chosen.entries()) {
      const target = await openTarget(stack, api.url, { index, attack });
      const before = await readStorage(stack, index);
      const job = { name: attack.name, target, localAddress: `127.0.1.${index + 1}` };
      const work = () => measure({ victim, api }, attack, seconds);
      const normal = await work();
      const under = await underAttack(job, { api, worker }, work);
      const growth = await measureGrowth(stack, index, before);
      results.push({ attack, normal, growth, ...under });
      await sleep(PAUSE_MS);
    }
    show(results);
    return results.flatMap(listFailures);
  } finally {
    await worker.stop();
    await api.stop();
    await sink.stop();
  }
}

type Victim = { readonly url: string; readonly key: string; readonly download: Download };

/** A tenant whose rate limit is never reached. */
async function openVictim({ ctx }: Stack, url: string): Promise<Victim> {
  const { workspaceId, key } = await openWorkspace(ctx, 'victim');
  await setWorkspaceLimits(ctx, operator, workspaceId, { rate: 100_000 });
  return { url, key, download: await createDownload(ctx, { url, workspaceId, fileBytes: 500_000 }) };
}

async function measure(
  { victim: { url, key, download }, api }: { victim: Victim; api: Child },
  { isOnDownloads }: Attack,
  seconds: number,
): Promise<Measured> {
  await longestBlock(api);
  const [sends, downloads] = await Promise.all([
    sendSteadily({ url, key }, seconds),
    isOnDownloads ? downloadSteadily(url, download, seconds) : null,
  ]);
  return { sends, downloads, blockMs: await longestBlock(api) };
}

/** Each attack gets a workspace of its own, because an attack uses up the rate limit of its workspace. */
async function openTarget(
  { ctx }: Stack,
  url: string,
  { index, attack }: { index: number; attack: Attack },
): Promise<Target> {
  const { workspaceId } = await createWorkspace(ctx, {
    name: `attacker ${index}`,
    email: `attacker${index}@example.com`,
    passwordHash: 'nobody logs in',
    planId: 'free',
  });
  const { storageBytes } = attack;
  const createAttackKey = async (mode: 'live' | 'test') =>
    (
      await createKey(ctx, operator, workspaceId, {
        name: 'attack',
        mode,
        scopes: ['emails:send', 'emails:read', 'templates:write'],
        expiresAt: null,
      })
    ).text;
  const key = await createAttackKey('live');
  const [html, text] = ['"'.repeat(2_000_000), 'ж'.repeat(1_000_000)];
  const scheduled = new Date(Date.now() + 86_400_000).toISOString();
  const target = {
    url,
    key,
    testKey: await createAttackKey('test'),
    templateId: await post(url, key, '/api/v1/templates', {
      ...{ name: 'Large', subject: 's', html_body: html, text_body: text },
    }),
    emailId: await post(url, key, '/api/v1/emails', {
      ...{ to: ['a@example.com'], subject: 's', html, text, scheduled_at: scheduled },
    }),
    download: await createDownload(ctx, { url, workspaceId, fileBytes: 6_500_000 }),
  };
  if (storageBytes !== undefined) await setWorkspaceLimits(ctx, operator, workspaceId, { storage: storageBytes });
  return target;
}

async function readStorage({ ctx }: Stack, index: number): Promise<Growth> {
  const { rows } = await ctx.db.raw(
    `select pg_database_size(current_database()) as disk, coalesce(sum(bytes), 0)::bigint as counted
     from workspaces join storage on workspace_id = id where name = ?`,
    [`attacker ${index}`],
  );
  return rows[0];
}

/** How much the attack has added to the database, and how much of that counts as the attacker's. */
async function measureGrowth(stack: Stack, index: number, before: Growth): Promise<Growth> {
  const after = await readStorage(stack, index);
  return { disk: after.disk - before.disk, counted: after.counted };
}

async function underAttack(
  job: AttackJob,
  { api, worker }: { api: Child; worker: Child },
  work: () => Promise<Measured>,
): Promise<Omit<Result, 'attack' | 'normal' | 'growth'>> {
  const attacker = forkProgram(join(import.meta.dirname, 'attacker.ts'));
  await attacker.ask(job);
  const watch = watchMemory(api, worker);
  const readCpu = startCpuClock({ api: api.process.pid, worker: worker.process.pid, attacker: attacker.process.pid });
  try {
    const measured = await work();
    const cpu = readCpu();
    return { measured, cpu, report: await attacker.ask<AttackReport>('stop'), memory: watch.peak() };
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

/** @returns a function that says what share of a core each process has used since then */
function startCpuClock<Name extends string>(pids: Readonly<Record<Name, number | undefined>>) {
  const startedAt = performance.now();
  const read = (name: Name) => cpuSeconds(pids[name] ?? 0);
  const names = Object.keys(pids) as Name[];
  const before = new Map(names.map((name) => [name, read(name)]));
  return (): Record<Name, number> => {
    const elapsed = (performance.now() - startedAt) / 1_000;
    const shares = names.map((name) => [name, (read(name) - (before.get(name) ?? 0)) / elapsed]);
    return Object.fromEntries(shares) as Record<Name, number>;
  };
}

function show(results: readonly Result[]): void {
  const ms = (during: number, normally: number) => `${during.toFixed(1)} (${normally.toFixed(1)})`;
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const rows = results.map(({ attack, normal, measured, report, memory, growth, cpu }) => ({
    attack: attack.name,
    from: attack.from,
    'p50 ms (normal)': ms(measured.sends.p50, normal.sends.p50),
    'p99 ms (normal)': ms(measured.sends.p99, normal.sends.p99),
    'times normal': (measured.sends.p99 / normal.sends.p99).toFixed(1),
    failed: measured.sends.failed,
    'p99 ms of downloads (normal)':
      measured.downloads && normal.downloads ? ms(measured.downloads.p99, normal.downloads.p99) : '',
    'API blocked ms (normal)': ms(measured.blockMs, normal.blockMs),
    'CPU of API, worker, attacker': [cpu.api, cpu.worker, cpu.attacker].map(percent).join(', '),
    'API MB': Math.round(memory.api),
    'worker MB': Math.round(memory.worker),
    'disk MB': Math.round(growth.disk / 1e6),
    'stored MB': Math.round(growth.counted / 1e6),
    responses: [
      ...Object.entries(report.byStatus).map(([status, count]) => `${status} x ${count}`),
      `closed x ${report.closed}`,
    ].join(', '),
  }));
  process.stdout.write(`${table(rows)}\n\n`);
}

function listFailures({ attack, normal, measured, memory, growth }: Result): string[] {
  const peak = Math.max(memory.api, memory.worker);
  return [
    ...listSlow('sends', measured.sends, normal.sends, attack),
    ...listSlow('downloads', measured.downloads, normal.downloads, attack),
    ...(growth.disk <= maxGrowth(attack)
      ? []
      : [
          `the database grew by ${Math.round(growth.disk / 1e6)} MB; the limit is ${Math.round(maxGrowth(attack) / 1e6)} MB`,
        ]),
    ...(peak < MAX_MEMORY_MB ? [] : [`a process used ${Math.round(peak)} MB; the limit is ${MAX_MEMORY_MB}`]),
  ].map((failure) => `${attack.name}, with ${attack.from}: ${failure}`);
}

function listSlow(what: string, during: Latencies | null, normal: Latencies | null, attack: Attack): string[] {
  if (during === null || normal === null) return [];
  const max = attack.maxSlowdown ?? MAX_SLOWDOWN;
  const slowdown = during.p99 / normal.p99;
  return [
    ...(slowdown < max
      ? []
      : [
          `the p99 of the other tenant's ${what} was ${slowdown.toFixed(1)} times that without an attack; the limit is ${max}`,
        ]),
    ...(during.failed === 0 ? [] : [`${during.failed} of the other tenant's ${during.sends} ${what} failed`]),
  ];
}

/** The mail of the second tenant, the attacker's live mail, and free space in pages. */
const OTHER_GROWTH_BYTES = 60_000_000;

/** What counts as stored is more than it takes up on disk, so the limit of the workspace holds for the disk too. */
function maxGrowth({ storageBytes = plans.free.storageBytes }: Attack): number {
  return storageBytes + OTHER_GROWTH_BYTES;
}
