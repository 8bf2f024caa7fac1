import { rmSync } from 'node:fs';
import { startPostgres, startRedis } from '@posthorn/servers';
import { writePrivateJson } from './data-folder.js';
import { startInbox } from './inbox/start-inbox.js';
import { prepareDatabase } from './prepare-database.js';
import { type StartOptions, startApps } from './start-apps.js';
import { type RunningProcess, restartOnExit } from './supervise-process.js';

/** Not the usual ports 5432 and 6379, which the system's own servers may be using. */
const POSTGRES_PORT = 5433;
const REDIS_PORT = 6380;

/** The content of `.posthorn/runtime.json`, which lets other programs find and use the running services. */
export type Runtime = {
  readonly api_url: string;
  readonly dashboard_url: string;
  /** null if SMTP_URL is set, because the inbox does not run then. */
  readonly inbox_url: string | null;
  readonly email: string;
  readonly password: string;
  readonly api_key: string;
  readonly database_url: string;
  readonly redis_url: string;
  readonly smtp_url: string;
};

/** Starts all services in dependency order. They are stopped in reverse order. */
export async function startAll(options: StartOptions): Promise<void> {
  const { folder, shutdown, print } = options;
  rmSync(folder.runtimeFile, { force: true });
  const databaseUrl = process.env.DATABASE_URL || (await startEmbeddedPostgres(options));
  const redisUrl = process.env.REDIS_URL || (await startEmbeddedRedis(options));
  const demo = await prepareDatabase(databaseUrl, folder.demoFile(process.env.DATABASE_URL));
  const { smtpUrl, inboxUrl } = await startMailServer(options);
  const { apiUrl, publicUrl } = await startApps(options, { databaseUrl, redisUrl, smtpUrl });
  const runtime: Runtime = {
    api_url: apiUrl,
    dashboard_url: publicUrl,
    inbox_url: inboxUrl,
    email: demo.email,
    password: demo.password,
    api_key: demo.api_key,
    database_url: databaseUrl,
    redis_url: redisUrl,
    smtp_url: smtpUrl,
  };
  writePrivateJson(folder.runtimeFile, runtime);
  shutdown.add(() => rmSync(folder.runtimeFile, { force: true }));
  print(formatBanner(runtime));
}

function startEmbeddedPostgres(options: StartOptions): Promise<string> {
  const { folder, print } = options;
  return superviseServer(options, 'Postgres', (port = POSTGRES_PORT) =>
    startPostgres({ dataDir: folder.postgres, port, log: print }),
  );
}

function startEmbeddedRedis(options: StartOptions): Promise<string> {
  const { folder, print } = options;
  return superviseServer(options, 'Redis', (port = REDIS_PORT) =>
    startRedis({ dataDir: folder.redis, port, log: print, persistent: true }),
  );
}

type DatabaseServer = RunningProcess & { readonly url: string; readonly port: number };

/**
 * Starts a server and restarts it on the same port if it crashes.
 * @returns its URL
 */
async function superviseServer(
  { shutdown, print }: StartOptions,
  name: string,
  startAt: (port?: number) => Promise<DatabaseServer>,
): Promise<string> {
  print(`Starting ${name}.`);
  let first: DatabaseServer | undefined;
  const start = async () => {
    const server = await startAt(first?.port);
    first ??= server;
    if (server.url === first.url) return server;
    await server.stop();
    throw new Error(`${name} cannot restart: another program is now using its port ${first.port}.`);
  };
  shutdown.add(await restartOnExit({ name, start, print }, () => shutdown.exit(1)));
  return first?.url ?? '';
}

/** Uses SMTP_URL if it is set. Otherwise starts the inbox, which catches every email. */
async function startMailServer({
  folder,
  shutdown,
  print,
}: StartOptions): Promise<{ smtpUrl: string; inboxUrl: string | null }> {
  const { SMTP_URL } = process.env;
  if (SMTP_URL) return { smtpUrl: SMTP_URL, inboxUrl: null };
  print('Starting the inbox.');
  const inbox = await startInbox({ folder: folder.inbox, log: print });
  shutdown.add(() => inbox.close());
  return { smtpUrl: inbox.smtpUrl, inboxUrl: inbox.url };
}

export function formatBanner(runtime: Runtime): string {
  const rows = [
    ['Dashboard', runtime.dashboard_url],
    ['Login', `${runtime.email}  ${runtime.password}`],
    ['API', `${runtime.api_url}/api/v1`],
    ['API key', runtime.api_key],
    ['Docs', `${runtime.api_url}/docs`],
    ['Inbox', runtime.inbox_url ?? `off: emails are sent through ${hidePasswords(runtime.smtp_url)}`],
    ['Logs', '.posthorn/logs/'],
  ] as const;
  return [
    '',
    'Posthorn is ready.',
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(11)}${value}`),
    '',
    'Send an email:',
    '',
    buildCurlCommand(runtime),
    '',
    'Press Ctrl-C to stop. Your data stays in .posthorn/.',
    '',
  ].join('\n');
}

/** On one line, so it can be copied from a terminal. */
function buildCurlCommand({ api_url, api_key }: Runtime): string {
  const email = {
    to: ['you@example.com'],
    subject: 'Hello from Posthorn',
    html: '<p>It works.</p>',
    text: 'It works.',
  };
  return [
    `curl ${api_url}/api/v1/emails`,
    `-H 'Authorization: Bearer ${api_key}'`,
    `-H 'Content-Type: application/json'`,
    `-d '${JSON.stringify(email)}'`,
  ].join(' ');
}

/** SMTP_URL may be a comma-separated list. */
function hidePasswords(smtpUrl: string): string {
  return smtpUrl.replace(/\/\/[^@/,]*@/g, '//');
}
