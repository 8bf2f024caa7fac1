import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Postgres, type RedisServer, startPostgres, startRedis } from '@posthorn/servers';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.js';

export const ROOT = join(import.meta.dirname, '../../..');

/** Postgres (durable, as in production) and Redis (without persistence) of a run, each behind a proxy. */
export type Servers = {
  readonly folder: string;
  readonly proxies: { readonly postgres: FaultyProxy; readonly redis: FaultyProxy };
  /** Straight, and as the service under test is given it. */
  postgresUrl(options: { proxied: boolean }): string;
  redisUrl(options: { proxied: boolean }): string;
  /** As a crash of the server would, and back on the same port. @returns when it takes connections again */
  crashPostgres(): Promise<void>;
  /** kill -9, and back on the same port: empty, unless it keeps an append-only file from now on. */
  crashRedis(options?: { downMs?: number; persistent?: boolean }): Promise<void>;
  close(): Promise<void>;
};

/**
 * Builds what is to be tried, and starts the servers it needs.
 * @param postgresDisk where Postgres keeps its data, if not beside the rest
 */
export async function startServers(postgresDisk?: string): Promise<Servers> {
  await promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), ['-b', 'apps/api', 'apps/worker'], { cwd: ROOT });
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-faults-'));
  const startP = (port?: number) =>
    startPostgres({ dataDir: join(postgresDisk ?? folder, 'postgres'), ...(port && { port }) });
  const startR = (port?: number, persistent = false) =>
    startRedis({ dataDir: join(folder, 'redis'), persistent, ...(port && { port }) });
  let [postgres, redis]: [Postgres, RedisServer] = await Promise.all([startP(), startR()]);
  const proxies = {
    postgres: await startFaultyProxy(() => postgres.port),
    redis: await startFaultyProxy(() => redis.port),
  };
  const through = (url: string, proxy: FaultyProxy, proxied: boolean) =>
    proxied ? Object.assign(new URL(url), { port: proxy.port }).href : url;

  return {
    folder,
    proxies,
    postgresUrl: ({ proxied }) => through(postgres.url, proxies.postgres, proxied),
    redisUrl: ({ proxied }) => through(redis.url, proxies.redis, proxied),
    async crashPostgres() {
      const { port } = postgres;
      await postgres.stopImmediately();
      postgres = await startP(port);
    },
    async crashRedis({ downMs = 0, persistent = false } = {}) {
      const { port } = redis;
      await redis.kill();
      await sleep(downMs);
      redis = await startR(port, persistent);
    },
    async close() {
      await Promise.all([proxies.postgres.close(), proxies.redis.close()]);
      await Promise.all([postgres.stopImmediately(), redis.kill()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
