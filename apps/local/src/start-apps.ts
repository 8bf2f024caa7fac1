import { join } from 'node:path';
import { freePort, keptSecret } from '@posthorn/servers';
import { keepRunning } from './keep-running.js';
import { startNodeProcess } from './node-process.js';
import { reloadOnChange } from './reload-on-change.js';
import type { Start } from './start.js';

const API_PORT = 3000;
/** Where Prometheus' exporters begin. */
const METRICS_PORT = 9464;

const SHARED_SOURCES = ['packages/contract/src', 'packages/domain/src'];

export type ServerUrls = { readonly databaseUrl: string; readonly redisUrl: string; readonly smtpUrl: string };

type Env = Readonly<Record<string, string>>;

/** The API, then the worker, as processes of their own, as in production. Variables that are set win over our defaults. */
export async function startApps(start: Start, urls: ServerUrls): Promise<{ apiUrl: string; publicUrl: string }> {
  const host = process.env.HOST || '127.0.0.1';
  const port = await portFor(start, 'PORT', API_PORT);
  const metricsPort = await portFor(start, 'METRICS_PORT', METRICS_PORT);
  const apiUrl = `http://${reachable(host)}:${port}`;
  const publicUrl = process.env.PUBLIC_URL || apiUrl;
  const env: Env = {
    NODE_ENV: process.env.NODE_ENV || (start.watch ? 'development' : 'production'),
    DATABASE_URL: urls.databaseUrl,
    REDIS_URL: urls.redisUrl,
    SMTP_URL: urls.smtpUrl,
    HOST: host,
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    PUBLIC_URL: publicUrl,
    PLATFORM_SENDER_DOMAIN: process.env.PLATFORM_SENDER_DOMAIN || 'posthorn.localhost',
    SECRET_KEY: process.env.SECRET_KEY || keptSecret(start.folder.secretKey),
  };
  await startApp(start, { name: 'API', app: 'api', readyUrl: `${apiUrl}/readyz` }, env);
  await startApp(
    start,
    { name: 'worker', app: 'worker', readyUrl: `http://${reachable(host)}:${metricsPort}/readyz` },
    env,
  );
  return { apiUrl, publicUrl };
}

type App = { readonly name: string; readonly app: 'api' | 'worker'; readonly readyUrl: string };

async function startApp(
  { folder, shutdown, tell, watch }: Start,
  { name, app, readyUrl }: App,
  env: Env,
): Promise<void> {
  tell(`Starting the ${name}.`);
  const inCheckout = (path: string) => join(folder.checkout, path);
  const args = watch
    ? ['--import', 'tsx', '--conditions=@posthorn/source', inCheckout(`apps/${app}/src/main.ts`)]
    : ['--enable-source-maps', inCheckout(`apps/${app}/dist/main.js`)];
  const logFile = join(folder.logs, `${app}.log`);
  const plan = {
    name: `The ${name}`,
    start: () => startNodeProcess({ name: `The ${name}`, args, env, logFile, readyUrl }),
    tell,
  };
  const sources = [...SHARED_SOURCES, `apps/${app}/src`].map(inCheckout);
  shutdown.add(await (watch ? reloadOnChange(plan, sources) : keepRunning(plan, () => shutdown.end(1))));
}

/** The port that a variable asks for, or the next free one. */
async function portFor({ tell }: Start, name: string, fallback: number): Promise<number> {
  const wanted = Number(process.env[name] || fallback);
  if (!Number.isInteger(wanted) || wanted < 0 || wanted > 65_535) {
    throw new Error(`${name} is not valid: expected a whole number from 0 to 65535.`);
  }
  const port = await freePort(wanted, process.env.HOST || '127.0.0.1');
  if (wanted !== 0 && port !== wanted) tell(`Port ${wanted} (${name}) is taken: using ${port}.`);
  return port;
}

/** How this machine reaches a server that listens on `host`. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
