import { join } from 'node:path';
import { findFreePort } from '@posthorn/servers';
import { runOlderPosthorn } from '@posthorn/testing';
import autocannon from 'autocannon';
import { type Child, startChild } from './child.js';
import { connectWithoutTimeouts, vacuumTables } from './database.js';
import { openServers, preallocateWal } from './stack.js';
import { until } from './until.js';

const DRAIN_WITHIN_MS = 120_000;

const body = JSON.stringify({
  to: ['jane@example.com'],
  subject: 'Your order has been shipped',
  html: `<p>${'All is well. '.repeat(70)}</p>`,
  text: 'All is well. '.repeat(45),
});

/** The API and a worker of one checkout, in which `npm ci && npm run build` has run, with servers of their own. */
export type Version = Awaited<ReturnType<typeof openVersion>>;

type VersionOptions = {
  readonly smtpUrl: string;
  /** Settings of Postgres. */
  readonly settings?: Readonly<Record<string, string | number>>;
  readonly nodeArgs?: readonly string[];
};

type Load = { readonly seconds: number; readonly connections: number };

export async function openVersion(checkout: string, { smtpUrl, settings, nodeArgs = [] }: VersionOptions) {
  const servers = await openServers(settings);
  const env = { ...servers.env, NODE_ENV: 'bench' };
  const start = (app: string, isReady: RegExp, more: NodeJS.ProcessEnv): Promise<Child> =>
    startChild(join(checkout, `apps/${app}/dist/main.js`), { ...env, ...more }, { isReady, nodeArgs });
  const port = await findFreePort();
  // It creates the schema.
  const api = await start('api', /api_listening/, { PORT: String(port) });
  const key = await createKey(checkout, env.DATABASE_URL);
  const db = await connectWithoutTimeouts(env.DATABASE_URL);
  await preallocateWal(db);
  const worker = await start('worker', /worker_ready/, { SMTP_URL: smtpUrl });
  return {
    db,
    api,
    worker,
    servers,
    cpu: () => ({ api: api.cpuSeconds(), worker: worker.cpuSeconds(), ...servers.cpuSeconds() }),
    /** Accepts emails over so many connections, while the worker is frozen, so that the two flows are measured apart. */
    async accept({ seconds, connections }: Load) {
      worker.process.kill('SIGSTOP');
      return postEmails({ port, key, seconds, connections });
    },
    /** Lets the worker deliver what was accepted. @returns how many seconds it took */
    async drain(): Promise<number> {
      const startedAt = performance.now();
      worker.process.kill('SIGCONT');
      const isDrained = async () => (await db('deliveries').first('email_id')) === undefined;
      await until(isDrained, { what: 'emails to be sent', by: [api, worker], withinMs: DRAIN_WITHIN_MS });
      return (performance.now() - startedAt) / 1_000;
    },
    /** Otherwise, autovacuum would run while something else is measured. */
    vacuum: () => vacuumTables(db),
    async close() {
      await api.stop();
      await worker.stop();
      await db.destroy();
      await servers.close();
    },
  };
}

/** Posts the same email over so many connections. */
export async function postEmails({ port, key, seconds, connections }: Load & { port: number; key: string }) {
  const result = await autocannon({
    url: `http://127.0.0.1:${port}/api/v1/emails`,
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body,
    connections,
    duration: seconds,
  });
  if (result.non2xx + result.errors > 0) throw new Error(`${result.non2xx + result.errors} requests failed`);
  const { '2xx': emails, duration, latency } = result;
  return { emails, perSecond: emails / duration, p99: latency.p99 };
}

async function createKey(checkout: string, databaseUrl: string): Promise<string> {
  const run = (...args: string[]) => runOlderPosthorn(checkout, databaseUrl, args);
  const owner = ['--email', 'bench@example.com', '--password', 'a password for the bench'];
  const workspace = await run('workspace', 'create', '--name', 'bench', '--plan', 'pro', ...owner);
  const id = workspace.workspace_id as string;
  await run('workspace', 'limits', id, '--monthly', 'none', '--daily', 'none');
  const { key } = await run('key', 'create', '--workspace', id, '--name', 'bench', '--scopes', 'emails:send');
  return key as string;
}
