import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { signalEvents } from '@posthorn/domain/events';
import { type DnsServer, forkProgram, getPercentile, startDnsServer } from '@posthorn/testing';
import { type Child, startChild } from '../../../bench/support/child.js';
import { openWorkspace, type Stack } from '../../../bench/support/stack.js';
import { table } from '../../../bench/support/table.js';
import { ROOT } from '../start-api.js';
import { addWebhook, storeEvents, type WebhookAttack, webhookAttacks } from './webhook-attacks.js';
import type { TargetReport } from './webhook-target.js';

/** How many times higher the other tenant's p99 may be during an attack, unless it is below MAX_MS. */
const MAX_SLOWDOWN = 3;
const MAX_MS = 200;
const EVERY_MS = 50;
const WARM_UP_SECONDS = 5;
/** An event that has not arrived by then is lost. */
const LOST_MS = 60_000;
const DNS_PORT = 53;

type Latencies = { readonly p50: number; readonly p99: number; readonly events: number; readonly lost: number };
type Result = { readonly attack: WebhookAttack; readonly latencies: Latencies; readonly target: TargetReport };

/**
 * Lets Free workspaces attack others with their webhooks, while another tenant gets 20 events a second.
 * @param name runs only attacks whose names contain this text
 * @returns the failures
 */
export async function runWebhookAttacks(
  stack: Stack,
  { seconds, name }: { seconds: number; name: string },
): Promise<string[]> {
  const chosen = webhookAttacks.filter((attack) => attack.name.includes(name));
  if (chosen.length === 0) return [];
  const system = await openSystemResolver();
  const receiver = await openReceiver();
  const worker = await startWorker(stack, system);
  try {
    const { workspaceId } = await openWorkspace(stack.ctx, 'webhook-victim');
    system.dns.addresses('hooks.victim.example', '127.0.0.1');
    await addWebhook(stack.ctx, workspaceId, `http://hooks.victim.example:${receiver.port}/`);
    const measure = (length: number) => sendSteadily(stack, receiver, { workspaceId, seconds: length });
    await measure(WARM_UP_SECONDS);
    const normal = await measure(seconds);
    const results: Result[] = [];
    for (const attack of chosen) results.push(await runAttack(stack, attack, system.dns, () => measure(seconds)));
    show(normal, results, system.describes);
    return results.flatMap((result) => listFailures(result, normal));
  } finally {
    await worker.stop();
    receiver.server.close();
    receiver.server.closeAllConnections();
    await system.close();
  }
}

async function runAttack(
  { ctx }: Stack,
  attack: WebhookAttack,
  dns: DnsServer,
  measure: () => Promise<Latencies>,
): Promise<Result> {
  const target = forkProgram(join(import.meta.dirname, 'webhook-target.ts'), [String(attack.answerMs)]);
  await sleep(1_000);
  const { port } = await target.ask<TargetReport>('report');
  await attack.start(ctx, { port, dns });
  signalEvents(ctx);
  const latencies = await measure();
  const report = await target.ask<TargetReport>('report');
  await ctx.db('webhooks').where('url', 'like', `%:${port}/`).update({ status: 'disabled' });
  await target.stop();
  return { attack, latencies, target: report };
}

/**
 * A DNS server that a worker without DNS_SERVERS asks, as its /etc/resolv.conf names it. That takes a mount namespace,
 * which only root can open. For others, DNS_SERVERS names the server.
 */
async function openSystemResolver() {
  const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
  const dns = await startDnsServer(isRoot ? { port: DNS_PORT } : {});
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-abuse-'));
  const file = join(folder, 'resolv.conf');
  await writeFile(file, 'nameserver 127.0.0.1\n');
  const script = `mount --bind ${file} /etc/resolv.conf && exec "$0" "$@"`;
  return {
    dns,
    describes: isRoot ? 'the resolver of the system' : 'DNS_SERVERS',
    env: isRoot ? {} : { DNS_SERVERS: dns.address },
    via: isRoot ? ['unshare', '--mount', 'sh', '-c', script] : [],
    async close() {
      await dns.close();
      await rm(folder, { recursive: true });
    },
  };
}

type SystemResolver = Awaited<ReturnType<typeof openSystemResolver>>;

function startWorker(stack: Stack, { env, via }: SystemResolver): Promise<Child> {
  // The rate limit that production has by default, not the one that the benchmarks use.
  const settings = { RATE_LIMIT_PER_MINUTE: '60', WORKER_ROLES: 'webhooks', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
  const all = { ...stack.env, ...settings, ...env };
  return startChild(join(ROOT, 'apps/worker/dist/main.js'), all, { isReady: /worker_ready/, via });
}

type Receiver = { readonly server: Server; readonly port: number; readonly arrivedAt: Map<string, number> };

/** The other tenant's receiver. It remembers when each event arrived first. */
async function openReceiver(): Promise<Receiver> {
  const arrivedAt = new Map<string, number>();
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id']);
    if (!arrivedAt.has(id)) arrivedAt.set(id, performance.now());
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port, arrivedAt };
}

/** Stores 20 events a second, and waits until they have arrived. */
async function sendSteadily(
  { ctx }: Stack,
  { arrivedAt }: Receiver,
  { workspaceId, seconds }: { workspaceId: string; seconds: number },
): Promise<Latencies> {
  const sentAt = new Map<string, number>();
  for (let sent = 0; sent < (seconds * 1_000) / EVERY_MS; sent += 1) {
    const [id] = await storeEvents(ctx, workspaceId, 1);
    sentAt.set(id as string, performance.now());
    signalEvents(ctx);
    await sleep(EVERY_MS);
  }
  const listMissing = () => [...sentAt.keys()].filter((id) => !arrivedAt.has(id));
  for (const deadline = Date.now() + LOST_MS; listMissing().length > 0 && Date.now() < deadline; )
    await sleep(EVERY_MS);
  const waits = [...sentAt].flatMap(([id, at]) => {
    const arrived = arrivedAt.get(id);
    return arrived === undefined ? [] : [arrived - at];
  });
  const at = (share: number) => getPercentile(waits, share) ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), events: sentAt.size, lost: listMissing().length };
}

function show(normal: Latencies, results: readonly Result[], resolver: string): void {
  const toRow = (attack: string, { p50, p99, lost }: Latencies, target?: TargetReport) => ({
    'webhook attack': attack,
    'p50 ms': p50.toFixed(1),
    'p99 ms': p99.toFixed(1),
    'times normal': (p99 / normal.p99).toFixed(1),
    lost,
    'POSTs at the target': target?.posts ?? '',
    'most in a second': target?.mostPerSecond ?? '',
    'most connections': target?.mostConnections ?? '',
  });
  const rows = [
    toRow('none', normal),
    ...results.map(({ attack, latencies, target }) => toRow(attack.name, latencies, target)),
  ];
  process.stdout.write(`${table(rows)}\nNames were looked up through ${resolver}.\n\n`);
}

function listFailures({ attack, latencies, target }: Result, normal: Latencies): string[] {
  const slowdown = latencies.p99 / normal.p99;
  const { most } = attack;
  const faults = [
    ...(latencies.p99 < MAX_MS || slowdown < MAX_SLOWDOWN
      ? []
      : [`the other tenant's p99 was ${latencies.p99.toFixed(0)} ms, ${slowdown.toFixed(1)} times the normal one`]),
    ...(latencies.lost === 0 ? [] : [`${latencies.lost} of the other tenant's events did not arrive`]),
    ...(target.mostPerSecond <= most.posts
      ? []
      : [`the target got ${target.mostPerSecond} requests in a second; the limit is ${most.posts}`]),
    ...(target.mostConnections <= most.connections
      ? []
      : [`the target had ${target.mostConnections} connections; the limit is ${most.connections}`]),
  ];
  return faults.map((fault) => `${attack.name}: ${fault}`);
}
