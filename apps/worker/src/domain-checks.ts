import { type Context, checkDueDomains } from '@posthorn/domain';
import { createPause } from './pause.js';

export type DomainChecks = { stop(): Promise<void> };

/** How often a worker looks for due domains. When a domain is due is decided in packages/domain. */
const INTERVAL_MS = 5_000;

/** Checks the DNS records of due sending domains. Any number of workers can share the work. */
export function startDomainChecks(
  ctx: Pick<Context, 'config' | 'db' | 'log' | 'now'>,
  { intervalMs = INTERVAL_MS } = {},
): DomainChecks {
  let stopped = false;
  const pause = createPause();

  async function run(): Promise<void> {
    while (!stopped) {
      const found = await checkDue(ctx);
      // After a batch, more domains may be due, so this looks again at once.
      if (found === 0 && !stopped) await pause.sleep(intervalMs);
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

/** @returns how many domains were checked; 0 while Postgres is unavailable */
async function checkDue(ctx: Pick<Context, 'config' | 'db' | 'log' | 'now'>): Promise<number> {
  try {
    return await checkDueDomains(ctx);
  } catch (error) {
    ctx.log.warn({ error }, 'domain_checks_failed');
    return 0;
  }
}
