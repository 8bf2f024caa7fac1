import { setTimeout as sleep } from 'node:timers/promises';
import { operator } from '@posthorn/domain/audit-log';
import { createWebhook } from '@posthorn/domain/webhooks';
import { createTestWorkspace, type TestWorkspace, until } from '@posthorn/testing';
import { createWebhookSecret } from '@posthorn/webhooks';
import { expectThat, type Failure } from '../../rig/failures.js';
import type { Rig } from '../../rig/open-rig.js';
import type { Scenario } from '../../rig/scenario.js';
import { untilSettled } from '../../rig/until.js';
import { startWebhookReceiver, type WebhookReceiver } from '../../rig/webhook-receiver.js';

type Tenant = { readonly workspace: TestWorkspace; readonly receiver: WebhookReceiver };

const EVENTS = [
  'email.accepted',
  'email.sent',
  'email.deferred',
  'email.bounced',
  'email.ambiguous',
  'email.recovered',
];

/** A tenant whose events go to a receiver of its own. */
async function openTenant({ ctx, loadRandom }: Rig, workspace: TestWorkspace): Promise<Tenant> {
  const receiver = await startWebhookReceiver(() => loadRandom.between(0, 300));
  const { workspaceId: id } = workspace;
  const settings = {
    url: receiver.url,
    description: '',
    events: EVENTS as never,
    domainIds: null,
    tags: null,
    status: 'enabled' as const,
  };
  await createWebhook(ctx, operator, { id, liveId: id }, { settings, secret: createWebhookSecret() });
  return { workspace, receiver };
}

/** Kills every part of the service in turn. @returns what was done */
async function breakEverything({ workers, apis, servers, ctx, random }: Rig, scale: number): Promise<string> {
  const rounds = Math.ceil(6 * scale);
  for (let round = 0; round < rounds; round += 1) {
    await random.pick(workers as [Rig['workers'][number], ...Rig['workers']]).kill();
    await sleep(random.between(200, 1_000));
    await random.pick(apis as [Rig['apis'][number], ...Rig['apis']]).kill();
    await sleep(random.between(200, 1_000));
    await servers.crashRedis({ downMs: random.between(0, 1_000) });
    await sleep(random.between(200, 1_000));
    await ctx.redis.flushall().catch(() => {});
    await servers.crashPostgres();
    await sleep(random.between(200, 1_000));
  }
  return `${rounds} times each: kill -9 worker, kill -9 API, kill -9 Redis, FLUSHALL, immediate shutdown of Postgres`;
}

type StoredEvent = { id: string; stream_id: string; sequence: number };

async function storedEvents({ ctx }: Rig, { workspace }: Tenant): Promise<StoredEvent[]> {
  return ctx
    .db('events')
    .select('id', 'stream_id', 'sequence')
    .where({ workspace_id: workspace.workspaceId })
    .whereIn('type', EVENTS);
}

async function checkTenant(rig: Rig, tenant: Tenant, name: string): Promise<Failure[]> {
  const stored = await storedEvents(rig, tenant);
  const { bodies } = tenant.receiver;
  const ids = new Set(stored.map(({ id }) => id));
  const { rows: gaps } = await rig.ctx.db.raw(
    `select stream_id from events where workspace_id = ? and type like 'email.%'
     group by stream_id having min(sequence) <> 1 or max(sequence) <> count(*)`,
    [tenant.workspace.workspaceId],
  );
  const changed = [...bodies.values()].filter((copies) => new Set(copies).size > 1);
  const foreign = [...bodies.keys()].filter((id) => !ids.has(id));
  return [
    ...expectThat(stored.length > 0, `${name} has no events`),
    ...expectThat(gaps.length === 0, `${gaps.length} emails of ${name} have gaps in their sequences`),
    ...expectThat(changed.length === 0, `${changed.length} events of ${name} changed between two requests`),
    ...expectThat(foreign.length === 0, `${name} received ${foreign.length} events that are not its own`),
  ];
}

export const webhooks: Scenario = {
  id: 'F44',
  fault:
    'kill -9 of workers, API processes and Redis, FLUSHALL and immediate shutdowns of Postgres, while events go to webhooks',
  options: { apis: 2, workers: 2, env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' } },
  // A worker that dies may hold a few emails whose replies it has not read.
  maxSecondCopies: (scale) => Math.ceil(6 * scale) * 2,
  async run(rig, scale) {
    const first = await openTenant(rig, rig.tenant);
    const second = await openTenant(rig, await createTestWorkspace(rig.ctx, { planId: 'pro' }));
    const tenants = [first, second];
    let isOver = false;
    const requestOfSecond = () => ({
      ...rig.requestTo('ok'),
      authorization: `Bearer ${second.workspace.key}`,
    });
    const loadOfSecond = rig.client.load(4, () => (isOver ? null : requestOfSecond()), 100);
    const done = await rig.whileSending(() => breakEverything(rig, scale), { inFlight: 4, pauseMs: 50 });
    isOver = true;
    await loadOfSecond;
    await untilSettled(rig);
    await until('every event has arrived', async () => {
      for (const tenant of tenants) {
        const stored = await storedEvents(rig, tenant);
        if (stored.some(({ id }) => !tenant.receiver.bodies.has(id))) return false;
      }
      return true;
    });
    const failures = [
      ...(await checkTenant(rig, first, 'the first tenant')),
      ...(await checkTenant(rig, second, 'the second tenant')),
    ];
    const counts = tenants.map(({ receiver: { bodies } }) => bodies.size);
    const requests = tenants.flatMap(({ receiver }) => [...receiver.bodies.values()]).flat().length;
    for (const { receiver } of tenants) await receiver.close();
    const events = counts.reduce((sum, count) => sum + count, 0);
    return { failures, figures: `${done}; ${events} events, ${requests} requests, 0 lost` };
  },
};
