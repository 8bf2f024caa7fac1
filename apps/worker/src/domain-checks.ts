import { type Context, checkDueDomains } from '@posthorn/domain';
import { createPause } from './pause.js';

export type DomainChecks = { stop(): Promise<void> };

/** How often a worker asks which domains are due; the schedule itself is in the domain. */
const INTERVAL_MS = 5_000;

/** Asks DNS again for the sending domains whose time has come; any number of workers share them. */
export function startDomainChecks(
  ctx: Pick<Context, 'config' | 'db' | 'log' | 'now'>,
  { intervalMs = INTERVAL_MS } = {},
): DomainChecks {
  let stopped = false;
  const pause = createPause();

  async function run(): Promise<void> {
    while (!stopped) {
      const found = await checkSome(ctx);
      // More may be due: go on at once.
      if (found === 0 && !stopped) await pause.rest(intervalMs);
    }
  }

  const running = run();
  return {
    async stop() {
      stopped = true;
      pause.wake();
      await running;
    },
  };
}

/** @returns how many were due; none while Postgres is away */
async function checkSome(ctx: Pick<Context, 'config' | 'db' | 'log' | 'now'>): Promise<number> {
  try {
    return await checkDueDomains(ctx);
  } catch (error) {
    ctx.log.warn({ error }, 'domain_checks_failed');
    return 0;
  }
}
