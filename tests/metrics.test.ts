import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '@posthorn/platform';
import { findFreePort } from '@posthorn/servers';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { type RunningProcess, startProcess } from './processes.js';

let ctx: Context;
const running = new Map<string, RunningProcess>();
let ports: Record<'api' | 'worker' | 'inbound' | 'tracking', number>;

beforeAll(async () => {
  ctx = await openTestContext({ ownDatabase: 'a worker claims the emails of all workspaces' });
  const [api = 0, worker = 0, inbound = 0, tracking = 0] = await Promise.all(
    Array.from({ length: 4 }, () => findFreePort()),
  );
  ports = { api, worker, inbound, tracking };
  // One environment for all processes, as on a single host.
  const env = {
    SMTP_URL: 'smtp://127.0.0.1:1',
    INBOUND_PORT: '0',
    TRACKING_PORT: '0',
    METRICS_PORT: String(worker),
    API_METRICS_PORT: String(api),
    INBOUND_METRICS_PORT: String(inbound),
    TRACKING_METRICS_PORT: String(tracking),
  };
  const start = async (app: string) => running.set(app, await startProcess(app as keyof typeof ports, ctx, env));
  await Promise.all(Object.keys(ports).map(start));
});

afterAll(async () => {
  await Promise.all([...running.values()].map((process) => process.stop()));
  await closeTestContext(ctx);
});

/** The names of our metrics that a process of each kind exposes. */
async function exposedNames(): Promise<Set<string>> {
  const texts = await Promise.all(Object.values(ports).map(async (port) => (await read(port, '/metrics')).text()));
  return new Set([...texts.join('\n').matchAll(/^# TYPE (posthorn_\w+)/gm)].map(([, name = '']) => name));
}

const read = (port: number, path: string) => fetch(`http://127.0.0.1:${port}${path}`);

test('every kind of process serves its probes and metrics on a port of its own', async () => {
  for (const port of Object.values(ports)) {
    expect((await read(port, '/healthz')).status).toBe(200);
    const readiness = await read(port, '/readyz');
    expect([readiness.status, await readiness.json()]).toMatchObject([
      200,
      { status: 'ready', postgres: { state: 'writable' }, redis: { reachable: true } },
    ]);
    const metrics = await read(port, '/metrics');
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain/);
    const text = await metrics.text();
    // Any process can tell how the service is doing.
    for (const name of [
      'posthorn_oldest_due_seconds',
      'posthorn_webhook_lag_seconds',
      'nodejs_eventloop_lag_p99_seconds',
    ])
      expect(text).toMatch(new RegExp(`^${name} `, 'm'));
    expect((await read(port, '/api/v1/emails')).status).toBe(404);
  }
});

test('the public port of the API serves neither /readyz nor /metrics then', async () => {
  const url = running.get('api')?.url ?? '';
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect((await fetch(`${url}/readyz`)).status).toBe(404);
  expect((await fetch(`${url}/metrics`)).status).toBe(404);
});

test('docs/operating/watching.md lists every metric and no others', async () => {
  const listed = readFileSync(join(import.meta.dirname, '../docs/operating/watching.md'), 'utf8').matchAll(
    /^\| `(posthorn_\w+)` \|/gm,
  );
  expect([...listed].map(([, name]) => name).sort()).toEqual([...(await exposedNames())].sort());
});

test.each(['ops/prometheus/rules.yml', 'ops/prometheus/rules.test.yml', 'ops/grafana/posthorn.json'])(
  '%s names only metrics that a process exposes',
  async (path) => {
    const exposed = await exposedNames();
    const texts = await Promise.all(Object.values(ports).map(async (port) => (await read(port, '/metrics')).text()));
    const ofNode = new Set(texts.join('\n').match(/^(nodejs|process)_\w+/gm));
    const used = readFileSync(join(import.meta.dirname, '..', path), 'utf8').matchAll(
      /\b(?:posthorn|nodejs|process)_[a-z0-9_]+/g,
    );
    for (const [name] of used)
      expect([name, exposed.has(name.replace(/_(bucket|count|sum)$/, '')) || ofNode.has(name)]).toEqual([name, true]);
  },
);
