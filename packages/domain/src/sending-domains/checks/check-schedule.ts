import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../durations.js';
import type { Verification } from '../domain/sending-domain.js';
import type { CheckResult } from './verification.js';

/** While somebody waits for a record to appear: how often, by how long it has been waited for. */
const WAITING = [
  { until: HOUR_MS, every: 2 * MINUTE_MS },
  { until: DAY_MS, every: 15 * MINUTE_MS },
  { until: 7 * DAY_MS, every: 2 * HOUR_MS },
  { until: Number.POSITIVE_INFINITY, every: DAY_MS },
] as const;

/** After a check without an answer. */
const RETRY_MS = HOUR_MS;

/** Domains that were verified at once are not asked for at once for ever. */
const SPREAD_MS = HOUR_MS;

/**
 * When DNS is asked next.
 * @param pendingKeySince when a new key began to wait for its record; null when there is none
 * @returns null for a domain that nobody waits for and the operator vouches for
 */
export function nextCheckAt(
  { status, statusSince, verifiedByOperator }: Pick<Verification, 'status' | 'statusSince' | 'verifiedByOperator'>,
  { pendingKeySince, result, now }: { pendingKeySince: Date | null; result: CheckResult; now: Date },
): Date | null {
  const waitingSince = status === 'verified' ? pendingKeySince : (pendingKeySince ?? statusSince);
  if (waitingSince) return later(now, waitFor(now.getTime() - waitingSince.getTime()));
  if (verifiedByOperator) return null;
  return later(now, result === 'unknown' ? RETRY_MS : DAY_MS + Math.random() * SPREAD_MS);
}

function waitFor(waitedMs: number): number {
  return WAITING.find(({ until }) => waitedMs < until)?.every ?? DAY_MS;
}

function later(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}
