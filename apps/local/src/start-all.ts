import { rmSync } from 'node:fs';
import { startPostgres, startRedis } from '@posthorn/servers';
import { banner } from './banner.js';
import { writePrivate } from './data-folder.js';
import { prepareDatabase } from './demo.js';
import { startInbox } from './inbox/start-inbox.js';
import { keepRunning, type Running } from './keep-running.js';
import type { Runtime } from './runtime.js';
import type { Start } from './start.js';
import { startApps } from './start-apps.js';

/** Beside the usual 5432 and 6379, where a server of the system may be. */
const POSTGRES_PORT = 5433;
const REDIS_PORT = 6380;

/** Starts every part in the order in which they need each other; they are stopped in the reverse one. */
export async function startAll(start: Start): Promise<void> {
  const { folder, shutdown, tell } = start;
  rmSync(folder.runtime, { force: true });
  const databaseUrl = process.env.DATABASE_URL || (await embeddedPostgres(start));
  const redisUrl = process.env.REDIS_URL || (await embeddedRedis(start));
  const demo = await prepareDatabase(databaseUrl, folder.demo(process.env.DATABASE_URL));
  const { smtpUrl, inboxUrl } = await mailServer(start);
  const { apiUrl, publicUrl } = await startApps(start, { databaseUrl, redisUrl, smtpUrl });
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
  writePrivate(folder.runtime, runtime);
  shutdown.add(() => rmSync(folder.runtime, { force: true }));
  tell(banner(runtime));
}

function embeddedPostgres(start: Start): Promise<string> {
  const { folder, tell } = start;
  return keepServer(start, 'Postgres', (port = POSTGRES_PORT) =>
    startPostgres({ dataDir: folder.postgres, port, log: tell }),
  );
}

function embeddedRedis(start: Start): Promise<string> {
  const { folder, tell } = start;
  return keepServer(start, 'Redis', (port = REDIS_PORT) =>
    startRedis({ dataDir: folder.redis, port, log: tell, persistent: true }),
  );
}

type Server = Running & { readonly url: string; readonly port: number };

/** @returns its address, which it has again after a crash: others were told it */
async function keepServer(
  { shutdown, tell }: Start,
  name: string,
  startAt: (port?: number) => Promise<Server>,
): Promise<string> {
  tell(`Starting ${name}.`);
  let first: Server | undefined;
  const start = async () => {
    const server = await startAt(first?.port);
    first ??= server;
    if (server.url === first.url) return server;
    await server.stop();
    throw new Error(`${name} did not get its port ${first.port} back: something else listens there now.`);
  };
  shutdown.add(await keepRunning({ name, start, tell }, () => shutdown.end(1)));
  return first?.url ?? '';
}

/** SMTP_URL, or an inbox that catches what would go out. */
async function mailServer({ folder, shutdown, tell }: Start): Promise<{ smtpUrl: string; inboxUrl: string | null }> {
  const { SMTP_URL: given } = process.env;
  if (given) return { smtpUrl: given, inboxUrl: null };
  tell('Starting the inbox.');
  const inbox = await startInbox({ folder: folder.inbox, log: tell });
  shutdown.add(() => inbox.close());
  return { smtpUrl: inbox.smtpUrl, inboxUrl: inbox.url };
}
