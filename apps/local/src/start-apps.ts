import { join } from 'node:path';
import { freePort, nodeArgs, readOrCreateSecret } from '@posthorn/servers';
import type { DataFolder } from './data-folder.js';
import { reloadOnChange } from './reload-on-change.js';
import { restartOnExit } from './restart-on-exit.js';
import type { Shutdown } from './shutdown.js';
import { startNodeProcess } from './start-node-process.js';

/** Options of the functions that start the services. */
export type StartOptions = {
  readonly folder: DataFolder;
  readonly shutdown: Shutdown;
  readonly print: (line: string) => void;
  /** Run the API and the worker from source and restart them on change. */
  readonly watch: boolean;
};

const API_PORT = 3000;
/** The default port of OpenTelemetry's Prometheus exporter. */
const METRICS_PORT = 9464;
/** The usual port for SMTP without privileges. */
const INBOUND_PORT = 2525;
/** The port after that of the API. */
const TRACKING_PORT = 3001;

const SHARED_SOURCES = [
  'packages/code-samples/src',
  'packages/contract/src',
  'packages/domain/src',
  'packages/feedback/src',
  'packages/platform/src',
];

export type ServerUrls = { readonly databaseUrl: string; readonly redisUrl: string; readonly smtpUrl: string };

type Env = Readonly<Record<string, string>>;

/**
 * Starts the API, the worker and the listeners for bounces and for tracking, each in its own process as in production.
 * Environment variables override the defaults.
 */
export async function startApps(
  options: StartOptions,
  urls: ServerUrls,
): Promise<{ apiUrl: string; publicUrl: string }> {
  const host = process.env.HOST || '127.0.0.1';
  const port = await findPort(options, 'PORT', API_PORT);
  const metricsPort = await findPort(options, 'METRICS_PORT', METRICS_PORT);
  const inboundPort = await findPort(options, 'INBOUND_PORT', INBOUND_PORT);
  const trackingPort = await findPort(options, 'TRACKING_PORT', TRACKING_PORT);
  const apiUrl = `http://${toUrlHost(host)}:${port}`;
  const publicUrl = process.env.PUBLIC_URL || apiUrl;
  const env: Env = {
    NODE_ENV: process.env.NODE_ENV || (options.watch ? 'development' : 'production'),
    DATABASE_URL: urls.databaseUrl,
    REDIS_URL: urls.redisUrl,
    SMTP_URL: urls.smtpUrl,
    HOST: host,
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    INBOUND_PORT: String(inboundPort),
    TRACKING_PORT: String(trackingPort),
    TRACKING_URL: process.env.TRACKING_URL || `http://${toUrlHost(host)}:${trackingPort}`,
    PUBLIC_URL: publicUrl,
    PLATFORM_SENDER_DOMAIN: process.env.PLATFORM_SENDER_DOMAIN || 'posthorn.localhost',
    SECRET_KEY: process.env.SECRET_KEY || readOrCreateSecret(options.folder.secretKeyFile),
  };
  await startApp(options, { name: 'API', app: 'api', readyUrl: `${apiUrl}/readyz` }, env);
  await startApp(
    options,
    { name: 'worker', app: 'worker', readyUrl: `http://${toUrlHost(host)}:${metricsPort}/readyz` },
    env,
  );
  const inboundHost = process.env.INBOUND_HOST || host;
  await startApp(
    options,
    { name: 'bounce listener', app: 'inbound', readyUrl: `tcp://${toUrlHost(inboundHost)}:${inboundPort}` },
    env,
  );
  const trackingUrl = `http://${toUrlHost(process.env.TRACKING_HOST || host)}:${trackingPort}`;
  await startApp(options, { name: 'tracking listener', app: 'tracking', readyUrl: `${trackingUrl}/healthz` }, env);
  return { apiUrl, publicUrl };
}

type App = { readonly name: string; readonly app: keyof typeof nodeArgs; readonly readyUrl: string };

async function startApp(
  { folder, shutdown, print, watch }: StartOptions,
  { name, app, readyUrl }: App,
  env: Env,
): Promise<void> {
  print(`Starting the ${name}.`);
  const inCheckout = (path: string) => join(folder.checkout, path);
  const args = watch
    ? ['--import', 'tsx', '--conditions=@posthorn/source', inCheckout(`apps/${app}/src/main.ts`)]
    : [...nodeArgs[app], '--enable-source-maps', inCheckout(`apps/${app}/dist/main.js`)];
  const logFile = join(folder.logs, `${app}.log`);
  const processOptions = {
    name: `The ${name}`,
    start: () => startNodeProcess({ name: `The ${name}`, args, env, logFile, readyUrl }),
    print,
  };
  const sources = [...SHARED_SOURCES, `apps/${app}/src`].map(inCheckout);
  shutdown.add(
    await (watch ? reloadOnChange(processOptions, sources) : restartOnExit(processOptions, () => shutdown.exit(1))),
  );
}

/** The port from the environment variable `name`, or `fallback`. If that port is in use, the next free one. */
async function findPort({ print }: StartOptions, name: string, fallback: number): Promise<number> {
  const preferred = Number(process.env[name] || fallback);
  if (!Number.isInteger(preferred) || preferred < 0 || preferred > 65_535) {
    throw new Error(`${name} is not valid. Set it to a whole number from 0 to 65535.`);
  }
  const port = await freePort(preferred, process.env.HOST || '127.0.0.1');
  if (preferred !== 0 && port !== preferred) print(`Port ${preferred} (${name}) is in use. Using ${port} instead.`);
  return port;
}

/** The host in the URL of a server that listens on `host`. */
function toUrlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
