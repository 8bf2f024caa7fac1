import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Postgres, type RedisServer, startPostgres, startRedis } from '@posthorn/servers';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.js';
import {
  copyForStandby,
  markAsStandby,
  type Standby,
  standbySettings,
  startStandby,
  takeBaseBackup,
} from './standby.js';

export const ROOT = join(import.meta.dirname, '../..');

/**
 * Postgres (durable, as in production) and Redis (without persistence), each behind a proxy that can be made to fail.
 */
export type Servers = {
  readonly folder: string;
  readonly proxies: { readonly postgres: FaultyProxy; readonly redis: FaultyProxy };
  /** Null unless the servers were started with one. The Postgres proxy always points to the first primary. */
  readonly standby: Standby | null;
  /**
   * The direct URL, or with `proxied`, the one that the service under test gets. If there is a standby, both URLs
   * include it.
   */
  postgresUrl(options: { proxied: boolean }): string;
  redisUrl(options: { proxied: boolean }): string;
  /**
   * Stops Postgres abruptly, like a crash, and restarts it on the same port. Resolves when it accepts connections
   * again.
   */
  crashPostgres(): Promise<void>;
  /** Takes a base backup while Postgres is running. @returns a function that replaces all databases with the backup */
  backUpPostgres(): Promise<() => Promise<void>>;
  /** Stops Postgres abruptly, like a crash, and does not restart it. */
  losePostgres(): Promise<void>;
  /**
   * Stops Postgres cleanly, promotes the standby, and starts the old primary on the same port as a standby of the new
   * one. @returns when the new primary accepted writes, on the clock of `performance.now`
   */
  switchPostgres(): Promise<number>;
  /** Restarts Postgres on the same port if it has exited by itself. */
  revivePostgres(): Promise<void>;
  /**
   * Kills Redis with kill -9 and restarts it on the same port. It is then empty, unless `persistent` turns on the
   * append-only file.
   */
  crashRedis(options?: { downMs?: number; persistent?: boolean }): Promise<void>;
  close(): Promise<void>;
};

export type ServersOptions = {
  /** Folder for Postgres's data; a temporary folder if omitted. */
  readonly postgresDisk?: string | undefined;
  /** Whether Postgres has a synchronous standby. */
  readonly withStandby?: boolean | undefined;
};

/** Builds the service under test and starts its servers. */
export async function startServers({ postgresDisk, withStandby = false }: ServersOptions = {}): Promise<Servers> {
  await promisify(execFile)(
    join(ROOT, 'node_modules/.bin/tsc'),
    ['-b', 'apps/api', 'apps/worker', 'apps/inbound', 'apps/cli'],
    {
      cwd: ROOT,
    },
  );
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-faults-'));
  const dataDir = join(postgresDisk ?? folder, 'postgres');
  const startPostgresHere = (port?: number, settings = {}) =>
    startPostgres({ dataDir, settings, ...(port && { port }) });
  const startRedisHere = (port?: number, persistent = false) =>
    startRedis({ dataDir: join(folder, 'redis'), persistent, ...(port && { port }) });
  let [postgres, redis]: [Postgres, RedisServer] = await Promise.all([startPostgresHere(), startRedisHere()]);
  const startStandbyHere = async () => {
    const standbyDir = join(folder, 'standby');
    await postgres.stop();
    await copyForStandby(dataDir, standbyDir);
    postgres = await startPostgresHere(postgres.port);
    return startStandby(standbyDir, postgres.url);
  };
  const standby = withStandby ? await startStandbyHere() : null;
  const proxies = {
    postgres: await startFaultyProxy(() => postgres.port),
    redis: await startFaultyProxy(() => redis.port),
  };
  const throughProxy = (url: string, proxy: FaultyProxy, proxied: boolean) =>
    proxied ? Object.assign(new URL(url), { port: proxy.port }).href : url;

  return {
    folder,
    proxies,
    standby,
    postgresUrl({ proxied }) {
      const primaryUrl = throughProxy(postgres.url, proxies.postgres, proxied);
      return standby ? withSecondHost(primaryUrl, standby.url) : primaryUrl;
    },
    redisUrl: ({ proxied }) => throughProxy(redis.url, proxies.redis, proxied),
    async crashPostgres() {
      const { port } = postgres;
      await postgres.stopImmediately();
      postgres = await startPostgresHere(port);
    },
    async backUpPostgres() {
      const dataDir = join(postgresDisk ?? folder, 'postgres');
      const backup = await takeBaseBackup(postgres.url, dataDir, join(folder, 'base-backup'));
      return async () => {
        const { port } = postgres;
        await postgres.stopImmediately();
        await backup.restore();
        postgres = await startPostgresHere(port);
      };
    },
    losePostgres: () => postgres.stopImmediately(),
    async switchPostgres() {
      const { port } = postgres;
      const { url, promote } = standby as Standby;
      await postgres.stop();
      await promote();
      const promotedAt = performance.now();
      markAsStandby(dataDir);
      postgres = await startPostgresHere(port, standbySettings(url));
      return promotedAt;
    },
    async revivePostgres() {
      const hasEnded = await Promise.race([postgres.ended.then(() => true), setImmediate(false)]);
      if (hasEnded) postgres = await startPostgresHere(postgres.port);
    },
    async crashRedis({ downMs = 0, persistent = false } = {}) {
      const { port } = redis;
      await redis.kill();
      await sleep(downMs);
      redis = await startRedisHere(port, persistent);
    },
    async close() {
      await standby?.stop();
      await Promise.all([proxies.postgres.close(), proxies.redis.close()]);
      await Promise.all([postgres.stopImmediately(), redis.kill()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Both servers have the same users and databases, because one is a copy of the other. */
function withSecondHost(url: string, otherUrl: string): string {
  const { host } = new URL(url);
  return `${url.replace(host, `${host},${new URL(otherUrl).host}`)}?target_session_attrs=read-write`;
}
