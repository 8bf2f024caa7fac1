import { type Context, createPause, fanOutEvents, type Loop, listenForEvents } from '@posthorn/domain';

const EVENTS_PER_STATEMENT = 5_000;

/**
 * Follows the event log, finds the webhooks that want its events, and makes them due. One process at a time does this;
 * the others find nothing to do. A signal from Redis begins a round at once; without Redis, there is one round per sweep
 * interval.
 * @param onDue called when webhooks have become due
 */
export function startFanOut(ctx: Pick<Context, 'config' | 'db' | 'log'>, onDue: () => void): Loop {
  const pause = createPause();
  let stopped = false;
  let isSignaled = false;
  const signal = listenForEvents(ctx, () => {
    isSignaled = true;
    pause.wake();
  });

  async function run(): Promise<void> {
    while (!stopped) {
      isSignaled = false;
      const { events, webhooks } = await fanOut(ctx);
      if (webhooks > 0) onDue();
      if (events < EVENTS_PER_STATEMENT && !isSignaled && !stopped) await pause.sleep(ctx.config.sweepIntervalMs);
    }
  }

  const running = run();
  return {
    async stop() {
      stopped = true;
      signal.close();
      pause.wake();
      await running;
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
