import { refuseWrongRedis } from '@posthorn/domain/startup';
import { createLog, type Log } from '@posthorn/platform/logs';
import { findRedisFault } from '@posthorn/platform/redis';
import {
  type ClusterDeployment,
  type SentinelDeployment,
  startCluster,
  startSentinels,
  until,
} from '@posthorn/testing';

let cluster: ClusterDeployment;
let sentinels: SentinelDeployment;

beforeAll(async () => {
  [cluster, sentinels] = await Promise.all([startCluster(), startSentinels()]);
}, 60_000);

afterAll(() => Promise.all([cluster.close(), sentinels.close()]));

const withKind = (kind: string, url = '', path = '') => `${url.replace('redis:', `redis+${kind}:`)}${path}`;

test('servers that are what the URL says have no fault', async () => {
  for (const url of [cluster.url, sentinels.url, sentinels.servers[0]?.url ?? ''])
    expect(await findRedisFault(url)).toBeNull();
});

test.each<[string, () => string | undefined, RegExp]>([
  ['a node of a cluster behind a plain URL', () => cluster.masters[0]?.url, /node of a Redis Cluster.*redis\+cluster:/],
  ['a Sentinel behind a plain URL', () => sentinels.sentinels[0]?.url, /leads to a Redis Sentinel.*redis\+sentinel:/],
  ['a replica behind a plain URL', () => sentinels.servers[1]?.url, /leads to a replica.*address of the master/],
  [
    'a master that the Sentinels do not watch',
    () => sentinels.url.replace(/posthorn$/, 'other'),
    /master other,.*They watch posthorn\./,
  ],
  [
    'a server that is not a Sentinel',
    () =>
      `${withKind('sentinel', sentinels.servers[0]?.url)}/posthorn?sentinel_password=a%20password%20of%20test%20servers`,
    /as a Redis Sentinel, but it is a Redis server/,
  ],
  [
    'a single server in the URL of a cluster',
    () => withKind('cluster', sentinels.servers[0]?.url),
    /as a node of a Redis Cluster, but it is a single server.*redis:\/\//,
  ],
  [
    'a Sentinel in the URL of a cluster',
    () => withKind('cluster', sentinels.sentinels[0]?.url),
    /but it is a Redis Sentinel/,
  ],
])('%s is named, with what to do', async (_title, url, sentence) => {
  expect(await findRedisFault(url() ?? '')).toMatch(sentence);
});

describe('a process', () => {
  const silent = createLog('test', 'silent');
  const start = (redisUrl: string | undefined, log: Log = silent, stop?: () => void) =>
    refuseWrongRedis({ config: { redisUrl }, log } as Parameters<typeof refuseWrongRedis>[0], stop);

  test('does not start with the wrong kind of server', async () => {
    await expect(start(cluster.masters[0]?.url)).rejects.toThrow('REDIS_URL leads to a node of a Redis Cluster');
    await start(cluster.url);
  });

  test('starts without Redis, and stops with an error when the server turns out to be wrong', async () => {
    const node = cluster.masters[2];
    await node?.kill();
    const errors: object[] = [];
    let isStopped = false;
    await start(node?.url, { ...silent, error: (fields) => void errors.push(fields) }, () => {
      isStopped = true;
    });
    expect([isStopped, errors]).toEqual([false, []]);
    await node?.revive();
    await until(() => isStopped);
    expect(errors).toEqual([{ fault: expect.stringContaining('node of a Redis Cluster') }]);
  });
});
