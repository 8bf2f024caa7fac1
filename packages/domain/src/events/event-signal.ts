import type { Log } from '@posthorn/platform/logs';
import { connectBlockingRedis, EVENTS_CHANNEL, type RedisClient } from '@posthorn/platform/redis';

/** Signals are sent at most this often per process, because one is enough for many events. */
const SIGNAL_EVERY_MS = 20;

/**
 * Tells workers that there are new events. A lost signal does no harm, because workers also look once per sweep
 * interval.
 */
export function openEventSignal({ redis }: { redis: RedisClient }): () => void {
  let isPending = false;
  const send = () => {
    isPending = false;
    if (redis.status === 'ready') redis.publish(EVENTS_CHANNEL, '').catch(() => {});
  };
  return () => {
    if (isPending) return;
    isPending = true;
    setTimeout(send, SIGNAL_EVERY_MS).unref();
  };
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
