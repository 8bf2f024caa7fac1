import { rmSync } from 'node:fs';
import { startPostgres, startRedis } from '@posthorn/servers';
import { writePrivateJson } from './data-folder.js';
import { startInbox } from './inbox/start-inbox.js';
import { prepareDatabase } from './prepare-database.js';
import { type RunningProcess, restartOnExit } from './restart-on-exit.js';
import { formatBanner, type Runtime } from './runtime.js';
import { type StartOptions, startApps } from './start-apps.js';

/** Not the usual ports 5432 and 6379, which the system's own servers may be using. */
const POSTGRES_PORT = 5433;
const REDIS_PORT = 6380;

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
