import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@posthorn/servers';
import { buildServerSettings, NODE_PASSWORD, type RedisNode, startRedisNode } from './redis-node.js';
import { until } from './until.js';

const MASTERS = 3;
const SLOTS = 16_384;
/** A master that does not answer for this long is replaced by its replica. */
const NODE_TIMEOUT_MS = 1_000;
const KEYS_PER_MIGRATE = 100;

export type ClusterNode = RedisNode & { readonly id: string };

/** Three masters, each with a third of the slots. */
export type ClusterDeployment = {
  readonly url: string;
  readonly masters: readonly ClusterNode[];
  /** The replica of each master, in the same order; empty if there are none. */
  readonly replicas: readonly ClusterNode[];
  getOwner(key: string): Promise<ClusterNode>;
  /** Moves slots with their keys, one after another, as `redis-cli --cluster reshard` does. */
  moveSlots(slots: readonly number[], to: ClusterNode): Promise<void>;
  getSlot(key: string): Promise<number>;
  close(): Promise<void>;
};

/** @param withTls whether clients and nodes connect with TLS. Slots can then not be moved */
export async function startCluster({ withReplicas = false, withTls = false } = {}): Promise<ClusterDeployment> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-cluster-'));
  const startMany = () => Promise.all(Array.from({ length: MASTERS }, () => startClusterNode(folder, withTls)));
  const masters = await startMany();
  const replicas = withReplicas ? await startMany() : [];
  const nodes = [...masters, ...replicas];
  await joinNodes(masters, replicas);

  const anyNode = () => nodes.find((node) => node.isRunning()) as ClusterNode;
  const getSlot = async (key: string) => Number(await anyNode().call('CLUSTER', 'KEYSLOT', key));
  async function getOwnerOfSlot(slot: number): Promise<ClusterNode> {
    const ranges = (await anyNode().call('CLUSTER', 'SLOTS')) as Array<[number, number, [string, number, string]]>;
    const range = ranges.find(([from, to]) => slot >= from && slot <= to);
    return nodes.find(({ id }) => id === range?.[2][2]) as ClusterNode;
  }

  return {
    url: `redis${withTls ? 's' : ''}+cluster://:${encodeURIComponent(NODE_PASSWORD)}@${masters.map(({ clientPort }) => `127.0.0.1:${clientPort}`)}`,
    masters,
    replicas,
    getSlot,
    getOwner: async (key) => getOwnerOfSlot(await getSlot(key)),
    async moveSlots(slots, to) {
      for (const slot of slots) {
        const from = await getOwnerOfSlot(slot);
        if (from === to) continue;
        await moveSlot(slot, from, to);
        // They would find out by themselves, but only later.
        for (const master of masters) await master.call('CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
      }
    },
    async close() {
      await Promise.all(nodes.map((node) => node.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startClusterNode(folder: string, withTls: boolean): Promise<ClusterNode> {
  const settings = async () => [
    ...buildServerSettings(),
    'cluster-enabled yes',
    `cluster-port ${await findFreePort()}`,
    `cluster-node-timeout ${NODE_TIMEOUT_MS}`,
    // Otherwise, no slot is served while one of the masters is down.
    'cluster-require-full-coverage no',
    'cluster-replica-validity-factor 0',
    ...(withTls ? ['tls-cluster yes'] : []),
  ];
  const node = await startRedisNode(folder, settings, { withTls });
  return Object.assign(node, { id: String(await node.call('CLUSTER', 'MYID')) });
}

async function joinNodes(masters: readonly ClusterNode[], replicas: readonly ClusterNode[]): Promise<void> {
  const nodes = [...masters, ...replicas];
  await Promise.all(
    masters.map((master, index) => {
      const [from, to] = [index, index + 1].map((part) => Math.floor((part * SLOTS) / MASTERS)) as [number, number];
      return master.call('CLUSTER', 'ADDSLOTSRANGE', from, to - 1);
    }),
  );
  await Promise.all(nodes.map((node, index) => node.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1)));
  const first = masters[0] as ClusterNode;
  for (const node of nodes.slice(1)) {
    const [, busPort] = (await node.call('CONFIG', 'GET', 'cluster-port').then(toPair)) as [string, string];
    await first.call('CLUSTER', 'MEET', '127.0.0.1', node.clientPort, busPort);
  }
  await untilEach(nodes, (info) => info.includes(`cluster_known_nodes:${nodes.length}\r`));
  await Promise.all(replicas.map((replica, index) => replica.call('CLUSTER', 'REPLICATE', masters[index]?.id ?? '')));
  await untilEach(nodes, (info) => info.includes('cluster_state:ok'));
  await until(async () => {
    const infos = await Promise.all(replicas.map((replica) => replica.call('INFO', 'replication')));
    return infos.every((info) => String(info).includes('master_link_status:up'));
  });
}

async function untilEach(nodes: readonly RedisNode[], holds: (info: string) => boolean): Promise<void> {
  await until(async () => {
    const infos = await Promise.all(nodes.map((node) => node.call('CLUSTER', 'INFO')));
    return infos.every((info) => holds(String(info)));
  });
}

/** CONFIG GET replies with a list or, since RESP3, with a map. */
function toPair(reply: unknown): unknown[] {
  return Array.isArray(reply) ? reply : Object.entries(reply as object).flat();
}

/** https://redis.io/docs/latest/commands/cluster-setslot/ */
async function moveSlot(slot: number, from: ClusterNode, to: ClusterNode): Promise<void> {
  await from.connected((source) =>
    to.connected(async (target) => {
      await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id);
      await source.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
      for (;;) {
        const keys = (await source.call('CLUSTER', 'GETKEYSINSLOT', slot, KEYS_PER_MIGRATE)) as string[];
        if (keys.length === 0) break;
        await source.call('MIGRATE', '127.0.0.1', to.port, '', 0, 5_000, 'AUTH', NODE_PASSWORD, 'KEYS', ...keys);
      }
      await target.call('CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
    }),
  );
}
