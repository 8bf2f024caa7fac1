import { system } from '@posthorn/domain/audit-log';
import type { Context } from '@posthorn/platform';
import { claimDueDomains } from '../domain/due-domain-store.js';
import { checkDomain } from './check-domain.js';

const MAX_DOMAINS_AT_ONCE = 20;

/** Longer than any check takes, so that no other process checks the domain at the same time. */
const CLAIM_MS = 300_000;

/**
 * Checks domains that are due, up to 20 at a time.
 * @returns how many it checked; if that is 20, more may be due
 */
export async function checkDueDomains(ctx: Pick<Context, 'config' | 'db' | 'log' | 'now'>): Promise<number> {
  const now = ctx.now();
  const claimedUntil = new Date(now.getTime() + CLAIM_MS);
  const due = await claimDueDomains(ctx.db, { now, limit: MAX_DOMAINS_AT_ONCE, claimedUntil });
  await Promise.all(
    due.map(async (domain) => {
      try {
        const checked = await checkDomain(ctx, system, domain);
        if (checked && checked.domain.status !== domain.status)
          ctx.log.info({ domainId: domain.id, status: checked.domain.status }, 'domain_status_changed');
      } catch (error) {
        ctx.log.warn({ error, domainId: domain.id }, 'domain_check_failed');
      }
    }),
  );
  return due.length;
}
