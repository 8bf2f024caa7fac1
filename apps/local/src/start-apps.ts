import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import {
  dieWithParent,
  findFreePort,
  nodeArgs,
  readOrCreateSecret,
  startChild,
  stopChild,
  waitUntilReady,
} from '@posthorn/servers';
import type { DataFolder } from './data-folder.js';
import { type RunningProcess, reloadOnChange, restartOnExit } from './supervise-process.js';

export type Shutdown = {
  /** Adds a function to call at shutdown. The last one added is called first. */
  add(stop: () => Promise<void> | void): void;
  /** Stops everything and exits the process. */
  exit(exitCode: number): Promise<void>;
};

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
const TRACKING_PORT = 3001;

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
  const inboundHost = process.env.INBOUND_HOST || host;
  const trackingHost = process.env.TRACKING_HOST || host;
  const apps: readonly App[] = [
    { name: 'API', app: 'api', readyUrl: `${apiUrl}/readyz` },
    { name: 'worker', app: 'worker', readyUrl: `http://${toUrlHost(host)}:${metricsPort}/readyz` },
    { name: 'bounce listener', app: 'inbound', readyUrl: `tcp://${toUrlHost(inboundHost)}:${inboundPort}` },
    {
      name: 'tracking listener',
      app: 'tracking',
      readyUrl: `http://${toUrlHost(trackingHost)}:${trackingPort}/healthz`,
    },
  ];
  for (const app of apps) await startApp(options, app, env);
  return { apiUrl, publicUrl };
}

type App = {
  readonly name: string;
  readonly app: keyof typeof nodeArgs;
  /** A URL that returns 200 when the process is ready, or `tcp://host:port` for a port that takes connections then. */
  readonly readyUrl: string;
};

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
  const command = { name: `The ${name}`, program: process.execPath, args, env, ipc: true };
  const start = () => startReady(command, join(folder.logs, `${app}.log`), readyUrl);
  const supervised = { name: command.name, start, print };
  const packages = readdirSync(inCheckout('packages')).map((name) => `packages/${name}/src`);
  const sources = [...packages, `apps/${app}/src`].map(inCheckout);
  shutdown.add(await (watch ? reloadOnChange(supervised, sources) : restartOnExit(supervised, () => shutdown.exit(1))));
}

const READY_TIMEOUT_MS = 60_000;
const PROBE_TIMEOUT_MS = 2_000;
/** The worker may take up to 30 s to finish the emails it is delivering. */
const STOP_TIMEOUT_MS = 35_000;

/**
 * Starts a process of the service and waits until it is ready. It stops when its IPC channel closes, so it does not
 * outlive this process.
 * @throws Error with the end of its log if it does not become ready
 */
async function startReady(
  command: Parameters<typeof startChild>[0],
  logFile: string,
  readyUrl: string,
): Promise<RunningProcess> {
  const child = await startChild(dieWithParent(command, 'TERM'), logFile);
  await waitUntilReady(child, () => isReady(readyUrl), READY_TIMEOUT_MS);
  return { logFile, ended: child.ended, stop: () => stopChild(child, 'SIGTERM', STOP_TIMEOUT_MS) };
}

async function isReady(readyUrl: string): Promise<boolean> {
  const { protocol, hostname, port } = new URL(readyUrl);
  return protocol === 'tcp:' ? takesConnections(hostname, Number(port)) : respondsOk(readyUrl);
}

function takesConnections(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port, timeout: PROBE_TIMEOUT_MS });
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false));
  });
}

async function respondsOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) })).ok;
  } catch {
    return false;
  }
}

/** The port from the environment variable `name`, or `fallback`. If that port is in use, the next free one. */
async function findPort({ print }: StartOptions, name: string, fallback: number): Promise<number> {
  const preferred = Number(process.env[name] || fallback);
  if (!Number.isInteger(preferred) || preferred < 0 || preferred > 65_535) {
    throw new Error(`${name} is not valid. Set it to a whole number from 0 to 65535.`);
  }
  const port = await findFreePort(preferred, process.env.HOST || '127.0.0.1');
  if (preferred !== 0 && port !== preferred) print(`Port ${preferred} (${name}) is in use. Using ${port} instead.`);
  return port;
}

function toUrlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
