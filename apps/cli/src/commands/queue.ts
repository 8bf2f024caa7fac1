import { once } from 'node:events';
import { connectRedis, countJobs, countWaiting, createLog, readBacklog } from '@posthorn/domain';
import type { Command } from 'commander';
import { CommandFailure } from '../failure.js';
import type { Operator } from '../operator.js';
import type { Run } from '../run.js';

export function declareQueue(program: Command, run: Run): void {
  const queue = program.command('queue').description('the mail that waits');
  queue
    .command('status')
    .description('how much mail waits in Postgres (each count stops at 10,000), and the jobs in Redis that announce it')
    .action(() => run(status));
}

async function status({ config, db }: Operator) {
  const [backlog, waiting] = await Promise.all([readBacklog(db), countWaiting(db)]);
  return {
    due: waiting.due,
    scheduled: waiting.scheduled,
    deferred: waiting.deferred,
    sending: waiting.sending,
    oldest_due_seconds: backlog.oldestDueSeconds,
    jobs: await askRedis(config.redisUrl),
  };
}

/** Fails at once when Redis is away, rather than wait for it as the service does. */
async function askRedis(redisUrl: string) {
  if (redisUrl === '')
    throw new CommandFailure('configuration', 'REDIS_URL is missing: set it to the Redis of the service.');
  const redis = connectRedis(redisUrl, createLog('cli', 'silent'));
  try {
    await once(redis, 'ready');
    return await countJobs(redis);
  } catch (error) {
    throw new CommandFailure('unavailable', `Redis cannot be reached: ${(error as Error).message}`);
  } finally {
    redis.disconnect();
  }
}
