import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NODE_CERTIFICATE, startCluster, startSentinels } from '@posthorn/testing';

const SCRIPT = join(import.meta.dirname, 'use-redis.ts');

/** Runs use-redis.ts in a process of its own, because Node reads NODE_EXTRA_CA_CERTS when it starts. @returns what it printed */
async function useRedis(url: string, env: NodeJS.ProcessEnv): Promise<string> {
  const args = ['--import', 'tsx', '--conditions=@posthorn/source', SCRIPT, url];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { PATH: process.env.PATH, ...env } });
  return stdout;
}

describe.each([
  ['Redis Cluster', startCluster],
  ['a master that Sentinels watch', startSentinels],
])('with TLS, %s', (_title, start) => {
  let deployment: Awaited<ReturnType<typeof start>>;

  beforeAll(async () => {
    deployment = await start({ withTls: true });
  }, 60_000);

  afterAll(() => deployment.close());

  test('can be used by a process that trusts its certificate', async () => {
    expect(await useRedis(deployment.url, { NODE_EXTRA_CA_CERTS: NODE_CERTIFICATE })).toBe('stored');
  });

  test('cannot be used by one that does not', async () => {
    expect(await useRedis(deployment.url, {})).toMatch(/Error/);
  });

  test('cannot be used without TLS', async () => {
    const url = deployment.url.replace('rediss', 'redis');
    expect(await useRedis(url, { NODE_EXTRA_CA_CERTS: NODE_CERTIFICATE })).toMatch(/Error/);
  });
});
