import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@posthorn/platform';
import { readAndWatchIncarnation } from './read-and-watch-incarnation.js';
import { openStartingServer, type StartingStatus } from './starting-server.js';
import { untilSchemaReady } from './until-schema-ready.js';

/** Most starts are done sooner. */
const START_ANSWERING_AFTER_MS = 250;

type StartingContext = Pick<Context, 'config' | 'db' | 'incarnation' | 'log'>;

/**
 * Waits until the process can use the database: until the schema fits this version, and until the emails of a restored
 * database are parked. Health checks are answered in the meantime.
 * @param ports where to answer health checks. Null and 0 are left out
 * @param restart called if the database is restored later
 * @throws SchemaError, PoolerError as `untilSchemaReady`
 */
export async function untilDatabaseReady(
  ctx: StartingContext,
  { ports = [], restart }: { ports?: ReadonlyArray<number | null>; restart: (reason: string) => void },
): Promise<void> {
  let status: StartingStatus = 'waiting_for_database';
  const setStatus = (next: StartingStatus) => {
    status = next;
  };
  await answerHealthChecksWhile(ctx, { ports, readStatus: () => status }, async () => {
    await untilSchemaReady(ctx, setStatus);
    setStatus('preparing');
    await readAndWatchIncarnation(ctx, restart);
  });
}

type HealthChecks = { readonly ports: ReadonlyArray<number | null>; readonly readStatus: () => StartingStatus };

async function answerHealthChecksWhile(
  { config: { host } }: StartingContext,
  { ports, readStatus }: HealthChecks,
  work: () => Promise<void>,
): Promise<void> {
  const done = work();
  const isQuick = await Promise.race([done.then(() => true), sleep(START_ANSWERING_AFTER_MS, false, { ref: false })]);
  if (isQuick) return;
  const used = ports.flatMap((port) => (port ? [port] : []));
  const servers = await Promise.all(used.map((port) => openStartingServer({ host, port }, readStatus)));
  try {
    await done;
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}
