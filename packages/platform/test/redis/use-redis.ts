// Not from the index of the package, which loads a thousand files.
import { createLog } from '../../src/logs/log.js';
import { connectBlockingRedis } from '../../src/redis/connect.js';
import { findRedisFault } from '../../src/redis/find-redis-fault.js';

/** Uses the Redis of a URL, and prints what happened. */
const [url = ''] = process.argv.slice(2);

async function useRedis(): Promise<string> {
  const fault = await findRedisFault(url);
  if (fault !== null) return fault;
  const redis = connectBlockingRedis(url, createLog('test', 'silent'));
  await redis.set('key', 'stored');
  const stored = await redis.get('key');
  redis.disconnect();
  return String(stored);
}

process.stdout.write(await useRedis().catch((error) => String(error)));
