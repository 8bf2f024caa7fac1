import { checkDueDomains } from '@posthorn/domain/domains';
import type { Context } from '@posthorn/platform';
import { type Loop, startLoop } from '@posthorn/platform/processes';

/** How often a worker looks for due domains. The code that decides when a domain is due is in packages/domain. */
const INTERVAL_MS = 5_000;

/** Checks the DNS records of due sending domains. Any number of workers can share the work. */
export function startDomainChecks(
  ctx: Pick<Context, 'config' | 'db' | 'log' | 'now'>,
  { intervalMs = INTERVAL_MS } = {},
): Loop {
  // If this round found due domains, there may be more.
  return startLoop(async () => (await checkDue(ctx)) > 0, intervalMs);
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
