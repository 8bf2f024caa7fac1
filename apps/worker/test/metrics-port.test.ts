import { setTimeout as sleep } from 'node:timers/promises';
import { type MetricsPort, openMetricsPort } from '@posthorn/platform/processes';
import { until } from '@posthorn/testing';
import { createWorkerMetrics } from '../src/metrics/worker-metrics.js';
import { assessWorker, type RunningWorker } from '../src/worker.js';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

let t: TestWorker;
let worker: RunningWorker;
let metrics: MetricsPort;

beforeEach(async () => {
  t = await openTestWorker({ started: false });
  worker = t.start();
  metrics = await openMetricsPort(worker.ctx, {
    registry: worker.ctx.metrics.registry,
    port: 0,
    assess: assessWorker(worker),
  });
});

afterEach(async () => {
  metrics.close();
  await t.close();
});

const fetchPath = (path: string) => fetch(`http://127.0.0.1:${metrics.port}${path}`);

async function readiness() {
  const response = await fetchPath('/readyz');
  return { status: response.status, body: (await response.json()) as object };
}

async function untilStatus(status: number) {
  for (let found = await readiness(); ; found = await readiness()) {
    if (found.status === status) return found.body;
    await sleep(20);
  }
}

/** The value of a line of /metrics, such as `posthorn_emails{status="queued"}`; null if there is none. */
async function metric(name: string): Promise<number | null> {
  const lines = (await (await fetchPath('/metrics')).text()).split('\n');
  const line = lines.find((text) => text.startsWith(`${name} `));
  return line === undefined ? null : Number(line.slice(name.length));
}

describe("a worker's /readyz", () => {
  test('returns 200 while Postgres accepts writes and the sweep works', async () => {
    expect(await readiness()).toEqual({
      status: 200,
      body: {
        status: 'ready',
        postgres: { state: 'writable' },
        redis: { reachable: true, evicts: false, full: false },
        relays: true,
        sweep: true,
      },
    });
  });

  test('returns 503 from the moment that the worker is told to stop', async () => {
    metrics.beginStopping();
    expect(await readiness()).toMatchObject({ status: 503, body: { status: 'stopping', sweep: true } });
    expect((await fetchPath('/healthz')).status).toBe(200);
  });

  test('returns 503 while the sweep keeps failing, and a metric counts the failures', async () => {
    expect(await metric('posthorn_sweep_failures_total')).toBe(0);
    await t.ctx.db.raw('alter table email_recipients rename to hidden_recipients');
    expect(await untilStatus(503)).toMatchObject({
      status: 'unavailable',
      sweep: false,
      postgres: { state: 'writable' },
    });
    expect(await metric('posthorn_sweep_failures_total')).toBeGreaterThanOrEqual(3);
    await t.ctx.db.raw('alter table hidden_recipients rename to email_recipients');
    expect(await untilStatus(200)).toMatchObject({ status: 'ready', sweep: true });
  });
});

describe("a worker's /metrics", () => {
  test('has the emails in hand only if it delivers, so that the alert about workers sees no other', async () => {
    expect(await metric('posthorn_deliveries_in_hand')).toBe(0);
    const { registry } = createWorkerMetrics({ ...t.ctx, config: { ...t.ctx.config, workerRoles: ['webhooks'] } });
    expect(registry.getSingleMetric('posthorn_deliveries_in_hand')).toBeUndefined();
    expect(registry.getSingleMetric('posthorn_webhook_attempts_total')).toBeDefined();
  });

  test('counts attempts by relay and outcome, and measures the time from accept to sent', async () => {
    await t.until(await t.accept(), 'sent');
    await t.until(await t.accept(), 'sent');
    const relay = 'env-1';
    expect(await metric(`posthorn_attempts_total{relay="${relay}",outcome="sent"}`)).toBe(2);
    expect(await metric('posthorn_accept_to_sent_seconds_count')).toBe(2);
    const scheduledAt = new Date(Date.now() + 300);
    await t.until(await t.accept({ scheduledAt }), 'sent');
    expect(await metric('posthorn_accept_to_sent_seconds_count')).toBe(3);
  });

  test('counts replies, sessions, recipients and how emails were found', async () => {
    await t.until(await t.accept(), 'sent');
    const relay = 'relay="env-1"';
    expect(await metric(`posthorn_smtp_replies_total{${relay},class="2xx"}`)).toBe(1);
    expect(await metric(`posthorn_smtp_sessions_total{${relay},result="opened"}`)).toBe(1);
    expect(await metric(`posthorn_smtp_sessions_total{${relay},result="failed"}`)).toBe(0);
    expect(await metric(`posthorn_smtp_sessions{${relay}}`)).toBe(1);
    expect(await metric(`posthorn_smtp_idle_sessions{${relay}}`)).toBe(1);
    expect(await metric(`posthorn_relay_state{${relay}}`)).toBe(1);
    expect(await metric('posthorn_recipients_total{result="sent"}')).toBe(1);
    expect(await metric('posthorn_outcomes_waiting{state="refused"}')).toBe(0);
    const found = await Promise.all(
      ['job', 'sweep'].map((source) => metric(`posthorn_emails_claimed_total{source="${source}"}`)),
    );
    expect(found.reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBe(1);
  });

  test('shows a relay that refuses sessions as failed', async () => {
    await t.sink.close();
    await t.accept();
    const relay = 'relay="env-1"';
    while ((await metric(`posthorn_relay_state{${relay}}`)) !== 0) await sleep(20);
    expect(await metric(`posthorn_smtp_sessions_total{${relay},result="failed"}`)).toBeGreaterThanOrEqual(1);
    expect(await metric(`posthorn_smtp_replies_total{${relay},class="none"}`)).toBeGreaterThanOrEqual(1);
    expect(await metric(`posthorn_smtp_sessions{${relay}}`)).toBe(0);
  });

  test('shows the state of Postgres and Redis, and the connections of the worker', async () => {
    expect(await metric('posthorn_postgres_state{state="writable"}')).toBe(1);
    expect(await metric('posthorn_postgres_state{state="read_only"}')).toBe(0);
    expect(await metric('posthorn_redis_state{condition="reachable"}')).toBe(1);
    expect(await metric('posthorn_redis_state{condition="evicts"}')).toBe(0);
    expect(await metric('posthorn_postgres_lock_waits')).toBe(0);
    // While the worker starts, it needs more connections than its pool has.
    await until(async () => (await metric('posthorn_postgres_connections{state="waiting"}')) === 0);
    expect(await metric('posthorn_delivery_jobs{state="waiting"}')).toBe(0);
  });

  test('shows the backlog', async () => {
    await t.accept({ scheduledAt: new Date(Date.now() + 3_600_000) });
    expect(await metric('posthorn_emails{status="scheduled"}')).toBe(1);
    expect(await metric('posthorn_emails{status="queued"}')).toBe(0);
    expect(await metric('posthorn_oldest_due_seconds')).toBe(0);
  });
});
