import type { Log } from '@posthorn/platform/logs';
import { connectBlockingRedis, type RedisClient } from '@posthorn/platform/redis';

/** Workers that send webhooks listen to this channel for new events. */
export const EVENTS_CHANNEL = 'posthorn:events';

/** Signals are sent at most this often per process, because one is enough for many events. */
const SIGNAL_EVERY_MS = 20;

/** The connections on which a signal will be sent soon. */
const pending = new WeakSet<RedisClient>();

/**
 * Tells workers that there are new events. A lost signal does no harm, because workers also look once per sweep
 * interval.
 */
export function signalEvents({ redis }: { readonly redis: RedisClient }): void {
  if (pending.has(redis)) return;
  pending.add(redis);
  setTimeout(sendSignal, SIGNAL_EVERY_MS, redis).unref();
}

function sendSignal(redis: RedisClient): void {
  pending.delete(redis);
  if (redis.status === 'ready') redis.publish(EVENTS_CHANNEL, '').catch(() => {});
}

/** Calls `onSignal` whenever a process has signaled new events. */
export function listenForEvents(
  { config, log }: { config: { readonly redisUrl: string }; log: Log },
  onSignal: () => void,
): { close(): void } {
  const connection = connectBlockingRedis(config.redisUrl, log);
  connection.on('message', onSignal);
  connection.on('ready', () => connection.subscribe(EVENTS_CHANNEL).catch(() => {}));
  return { close: () => connection.disconnect() };
}
