import type { Assess } from '@posthorn/platform/health';
import type { RunningWorker } from './worker.js';

/** A worker is ready while it can write to Postgres and its sweep works. */
export function assessWorker({ ctx, sweep }: Pick<RunningWorker, 'ctx' | 'sweep'>): Assess {
  return ({ postgres, redis }) => {
    const works = { relays: ctx.relays.areAvailable(), sweep: sweep === null || !sweep.isFailing() };
    return { isReady: postgres.state === 'writable' && works.sweep, facts: { postgres, redis, ...works } };
  };
}
