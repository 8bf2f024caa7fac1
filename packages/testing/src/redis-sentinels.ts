import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildServerSettings, NODE_PASSWORD, type RedisNode, startRedisNode } from './redis-node.js';
import { until } from './until.js';

const MASTER_NAME = 'posthorn';
const SENTINELS = 3;
/** A master that does not answer for this long is replaced. */
const DOWN_AFTER_MS = 1_000;
const FAIL_OVER_POLL_MS = 500;

/** A master, a replica of it, and three Sentinels that watch them. */
export type SentinelDeployment = {
  readonly url: string;
  readonly servers: readonly RedisNode[];
  readonly sentinels: readonly RedisNode[];
  master(): Promise<RedisNode>;
  /** Lets the Sentinels swap master and replica, and waits until they have. */
  failOver(): Promise<void>;
  close(): Promise<void>;
};

/** @param withTls whether clients and servers connect with TLS */
export async function startSentinels({ withTls = false } = {}): Promise<SentinelDeployment> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-sentinels-'));
  const first = await startRedisNode(folder, buildServerSettings, { withTls });
  const replicaSettings = () => [...buildServerSettings(), `replicaof 127.0.0.1 ${first.clientPort}`];
  const replica = await startRedisNode(folder, replicaSettings, { withTls });
  const servers = [first, replica];
  const sentinels = await Promise.all(
    Array.from({ length: SENTINELS }, () =>
      startRedisNode(folder, () => buildSentinelSettings(first.clientPort), { isSentinel: true, withTls }),
    ),
  );
  const anySentinel = sentinels[0] as RedisNode;

  async function master(): Promise<RedisNode> {
    const [, port] = (await anySentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER_NAME)) as [string, string];
    return servers.find((server) => server.clientPort === Number(port)) as RedisNode;
  }

  await until(async () => (await Promise.all(sentinels.map(knowsEverybody))).every(Boolean));
  return {
    url: `redis${withTls ? 's' : ''}+sentinel://:${encodeURIComponent(NODE_PASSWORD)}@${sentinels.map(({ clientPort }) => `127.0.0.1:${clientPort}`)}/${MASTER_NAME}`,
    servers,
    sentinels,
    master,
    async failOver() {
      const old = await master();
      for (; (await master()) === old; await sleep(FAIL_OVER_POLL_MS))
        // Refused while one is in progress, or while the Sentinel does not trust the replica yet.
        await anySentinel.call('SENTINEL', 'FAILOVER', MASTER_NAME).catch(() => {});
    },
    async close() {
      await Promise.all([...servers, ...sentinels].map((node) => node.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function buildSentinelSettings(masterPort: number): string[] {
  return [
    `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${masterPort} 2`,
    `sentinel auth-pass ${MASTER_NAME} ${JSON.stringify(NODE_PASSWORD)}`,
    `sentinel down-after-milliseconds ${MASTER_NAME} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${MASTER_NAME} 5000`,
  ];
}

async function knowsEverybody(sentinel: RedisNode): Promise<boolean> {
  const info = String(await sentinel.call('INFO', 'sentinel'));
  return info.includes(`status=ok`) && info.includes(`slaves=1,sentinels=${SENTINELS}`);
}
