import type { Context } from '@posthorn/platform';
import { createCachedRead } from '@posthorn/platform/batching';
import { checkWritable, type Writability } from '@posthorn/platform/postgres';
import { type RedisHealth, readRedisHealth } from '@posthorn/platform/redis';

export type Health = { readonly postgres: { readonly state: Writability }; readonly redis: RedisHealth };

const CACHED_MS = 1_000;

type Servers = Pick<Context, 'db' | 'redis'>;

const reads = new WeakMap<Servers['db'], () => Promise<Health>>();

/** Reads the health of the servers, at most once a second, however often it is called. */
export function checkHealth({ db, redis }: Servers): Promise<Health> {
  const read = reads.get(db) ?? createCachedRead(() => readHealth({ db, redis }), CACHED_MS);
  reads.set(db, read);
  return read();
}

async function readHealth({ db, redis }: Servers): Promise<Health> {
  const [state, health] = await Promise.all([checkWritable(db), readRedisHealth(redis)]);
  return { postgres: { state }, redis: health };
}

/** What a process says about itself. `status` is 200 if it is ready, otherwise 503. */
export type Readiness = { readonly status: 200 | 503; readonly body: object };

/** @property facts what it shows about itself and its servers */
type Assessment = { readonly isReady: boolean; readonly facts: object };

/** Whether a process is ready while its servers are in this state. */
export type Assess = (health: Health) => Assessment;

/** A process that stops is not ready, but still shows its state. */
export function toReadiness({ isReady, facts }: Assessment, isStopping: boolean): Readiness {
  if (isStopping) return { status: 503, body: { status: 'stopping', ...facts } };
  return isReady
    ? { status: 200, body: { status: 'ready', ...facts } }
    : { status: 503, body: { status: 'unavailable', ...facts } };
}
