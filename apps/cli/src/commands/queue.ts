import { once } from 'node:events';
import { connectRedis, countJobs, countWaiting, createLog, readBacklog } from '@posthorn/domain';
import type { Command } from 'commander';
import type { CliContext, RunAction } from '../context.js';
import { CliError } from '../errors.js';

export function addQueueCommands(program: Command, run: RunAction): void {
  const queue = program.command('queue').description('inspect the queue');
  queue
    .command('status')
    .description('count the emails waiting in Postgres (each count stops at 10,000) and the delivery jobs in Redis')
    .action(() => run(status));
}

async function status({ config, db }: CliContext) {
  const [backlog, waiting] = await Promise.all([readBacklog(db), countWaiting(db)]);
  return {
    due: waiting.due,
    scheduled: waiting.scheduled,
    deferred: waiting.deferred,
    sending: waiting.sending,
    parked: waiting.parked,
    oldest_due_seconds: backlog.oldestDueSeconds,
    jobs: await countRedisJobs(config.redisUrl),
  };
}

/** Fails immediately when Redis is down, whereas the API and the worker wait for it. */
async function countRedisJobs(redisUrl: string) {
  if (redisUrl === '')
    throw new CliError('configuration', 'REDIS_URL is missing. Set it to the URL that the API and the worker use.');
  const redis = connectRedis(redisUrl, createLog('cli', 'silent'));
  try {
    await once(redis, 'ready');
    return await countJobs(redis);
  } catch (error) {
    throw new CliError('unavailable', `Cannot connect to Redis: ${(error as Error).message}`);
  } finally {
    redis.disconnect();
  }
}
