import { DAY_MS, HOUR_MS, MINUTE_MS } from '@posthorn/platform/values';
import type { Verification } from '../domain/sending-domain.js';
import type { CheckResult } from './verification.js';

/** How often to check while we wait for a record to appear. The longer we have waited, the less often we check. */
const INTERVALS = [
  { until: HOUR_MS, every: 2 * MINUTE_MS },
  { until: DAY_MS, every: 15 * MINUTE_MS },
  { until: 7 * DAY_MS, every: 2 * HOUR_MS },
  { until: Number.POSITIVE_INFINITY, every: DAY_MS },
] as const;

/** How long to wait after a check in which DNS queries failed. */
const RETRY_MS = HOUR_MS;

/** Spreads out the daily checks of domains that were verified at the same time. */
const SPREAD_MS = HOUR_MS;

/**
 * When to check a domain next.
 * @param pendingKeySince when a new key began to wait for its record; null if there is no new key
 * @returns null for a domain that the operator verified, unless a new key is waiting
 */
export function nextCheckAt(
  { status, statusSince, verifiedByOperator }: Pick<Verification, 'status' | 'statusSince' | 'verifiedByOperator'>,
  { pendingKeySince, result, now }: { pendingKeySince: Date | null; result: CheckResult; now: Date },
): Date | null {
  const waitingSince = status === 'verified' ? pendingKeySince : (pendingKeySince ?? statusSince);
  if (waitingSince) return later(now, intervalAfter(now.getTime() - waitingSince.getTime()));
  if (verifiedByOperator) return null;
  return later(now, result === 'unknown' ? RETRY_MS : DAY_MS + Math.random() * SPREAD_MS);
}

function intervalAfter(waitedMs: number): number {
  return INTERVALS.find(({ until }) => waitedMs < until)?.every ?? DAY_MS;
}

function later(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}
