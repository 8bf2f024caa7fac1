import { listenForEvents } from '@posthorn/domain/events';
import { fanOutEvents } from '@posthorn/domain/webhooks';
import type { Context } from '@posthorn/platform';
import { type Loop, startLoop } from '@posthorn/platform/processes';

const EVENTS_PER_STATEMENT = 5_000;

/**
 * Follows the event log, finds the webhooks that want its events, and makes them due. One process at a time does this;
 * the others find nothing to do. A signal from Redis begins a round at once; without Redis, there is one round per sweep
 * interval.
 * @param onDue called when webhooks have become due
 */
export function startFanOut(ctx: Pick<Context, 'config' | 'db' | 'log'>, onDue: () => void): Loop {
  const loop = startLoop(async () => {
    const { events, webhooks } = await fanOut(ctx);
    if (webhooks > 0) onDue();
    return events === EVENTS_PER_STATEMENT;
  }, ctx.config.sweepIntervalMs);
  const signal = listenForEvents(ctx, loop.wake);
  return {
    async stop() {
      signal.close();
      await loop.stop();
    },
  };
}

async function fanOut({ db, log }: Pick<Context, 'db' | 'log'>) {
  try {
    return await fanOutEvents(db, EVENTS_PER_STATEMENT);
  } catch (error) {
    log.warn({ error }, 'events_not_fanned_out');
    return { events: 0, webhooks: 0 };
  }
}
