import { join, resolve } from 'node:path';
import { findFreePort } from '@posthorn/servers';
import { runOlderPosthorn } from '@posthorn/testing';
import autocannon from 'autocannon';
import { startChild } from './support/child.js';
import { usEach } from './support/cpu.js';
import { connectWithoutTimeouts, vacuumTables } from './support/database.js';
import { type Figure, median, medianWithRange } from './support/figure.js';
import { report } from './support/report.js';
import { startSink } from './support/smtp-sink.js';
import { openServers, preallocateWal } from './support/stack.js';
import { until } from './support/until.js';

/**
 * Compares two versions, to see what a change costs. In turns, each accepts emails for a few seconds, and then one
 * worker delivers them. Each version has servers and a schema of its own.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 7);
const SECONDS = Number(process.env.SECONDS ?? 4);
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 50);
/** Rounds that V8 gets to compile the hot code. */
const WARM_UP_ROUNDS = 2;
const DRAIN_WITHIN_MS = 120_000;

const OURS = join(import.meta.dirname, '..');
const OTHER = process.env.OTHER;
if (!OTHER) throw new Error('Set OTHER to the folder of another version in which `npm ci && npm run build` has run.');

const body = JSON.stringify({
  to: ['jane@example.com'],
  subject: 'Your order has been shipped',
  html: `<p>${'All is well. '.repeat(70)}</p>`,
  text: 'All is well. '.repeat(45),
});

type Figures = Record<
  'accepted' | 'api' | 'postgresAccepting' | 'delivered' | 'worker' | 'postgresDelivering',
  number[]
>;
type Version = Awaited<ReturnType<typeof openVersion>>;

const sink = await startSink();
const other = await openVersion('other', resolve(OTHER));
const ours = await openVersion('ours', OURS);
const versions = [other, ours];
for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1)
  for (const version of round % 2 === 0 ? versions : versions.toReversed()) await measure(version, round >= 0);
for (const version of versions) await version.close();
await sink.stop();

const names = Object.keys(ours.figures) as Array<keyof Figures>;
report('compare', 'versions', {
  rows: versions.map(({ name, figures }) => ({
    version: name,
    ...mapFigures((each) => medianWithRange(figures[each])),
  })),
  ratios: mapFigures((each) => (median(ours.figures[each]) / median(other.figures[each])).toFixed(3)),
  settings: { ROUNDS, SECONDS, CONNECTIONS },
});

function mapFigures<Value extends Figure | string>(toValue: (name: keyof Figures) => Value): Record<string, Value> {
  const titles: Record<keyof Figures, string> = {
    accepted: 'accepted/s',
    api: 'API us',
    postgresAccepting: 'Postgres us',
    delivered: 'delivered/s',
    worker: 'worker us',
    postgresDelivering: 'Postgres us, delivering',
  };
  return Object.fromEntries(names.map((name) => [titles[name], toValue(name)]));
}

async function openVersion(name: string, checkout: string) {
  const servers = await openServers();
  const env = { ...servers.env, NODE_ENV: 'bench' };
  const start = (app: string, isReady: RegExp, more: NodeJS.ProcessEnv) =>
    startChild(join(checkout, `apps/${app}/dist/main.js`), { ...env, ...more }, { isReady });
  const port = await findFreePort();
  // It creates the schema.
  const api = await start('api', /api_listening/, { PORT: String(port) });
  const key = await createKey(checkout, env.DATABASE_URL);
  const db = await connectWithoutTimeouts(env.DATABASE_URL);
  await preallocateWal(db);
  const worker = await start('worker', /worker_ready/, { SMTP_URL: sink.url });
  const figures: Figures = {
    accepted: [],
    api: [],
    postgresAccepting: [],
    delivered: [],
    worker: [],
    postgresDelivering: [],
  };
  return {
    name,
    figures,
    db,
    api,
    worker,
    url: `http://127.0.0.1:${port}/api/v1/emails`,
    key,
    cpu: () => ({
      api: api.cpuSeconds(),
      worker: worker.cpuSeconds(),
      postgres: servers.cpuSeconds().postgres,
    }),
    async close() {
      await api.stop();
      await worker.stop();
      await db.destroy();
      await servers.close();
    },
  };
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

/** The worker is frozen while emails are accepted, so that the two flows are measured apart. */
async function measure({ figures, db, api, worker, url, key, cpu }: Version, counts: boolean): Promise<void> {
  worker.process.kill('SIGSTOP');
  const before = cpu();
  const result = await autocannon({
    url,
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body,
    connections: CONNECTIONS,
    duration: SECONDS,
  });
  const emails = result['2xx'];
  if (result.non2xx + result.errors > 0) throw new Error(`${result.non2xx + result.errors} requests failed`);
  const accepting = usEach(before, cpu(), emails);
  const [from, startedAt] = [cpu(), performance.now()];
  worker.process.kill('SIGCONT');
  const isDrained = async () => (await db('deliveries').first('email_id')) === undefined;
  await until(isDrained, { what: 'emails to be sent', by: [api, worker], withinMs: DRAIN_WITHIN_MS });
  const seconds = (performance.now() - startedAt) / 1_000;
  const delivering = usEach(from, cpu(), emails);
  // Otherwise, autovacuum would run while the other version is measured.
  await vacuumTables(db);
  if (!counts) return;
  figures.accepted.push(emails / result.duration);
  figures.api.push(accepting.api);
  figures.postgresAccepting.push(accepting.postgres);
  figures.delivered.push(emails / seconds);
  figures.worker.push(delivering.worker);
  figures.postgresDelivering.push(delivering.postgres);
}
