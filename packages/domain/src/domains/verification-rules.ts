import type { DomainEventType } from '@posthorn/contract';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@posthorn/platform/values';
import type { DnsRecord } from './dns-records.js';
import type { Findings, Verification } from './sending-domain.js';

/** `unknown` means that some queries failed, so the check neither passed nor failed. */
type CheckResult = 'passed' | 'failed' | 'unknown';

/** All required records must be correct. One missing or wrong record fails the check, even if other queries failed. */
export function toCheckResult(records: readonly DnsRecord[], findings: Findings): CheckResult {
  const required = records.filter((record) => record.required).map(({ key }) => findings[key]);
  const answered = required.filter((finding) => finding?.failure === null);
  if (answered.some((finding) => finding?.status !== 'verified')) return 'failed';
  return answered.length === required.length ? 'passed' : 'unknown';
}

/** What is wrong with the required records, such as `Missing or wrong: TXT record of _posthorn.example.com`. */
export function describeCheckFailure(records: readonly DnsRecord[], findings: Findings): string {
  const faulty = records.filter(
    ({ key, required }) => required && findings[key]?.failure === null && findings[key].status !== 'verified',
  );
  return `Missing or wrong: ${faulty.map(({ type, name }) => `${type} record of ${name}`).join(', ')}`;
}

type VerificationChange = {
  readonly verification: Verification;
  readonly event: Extract<DomainEventType, 'verified' | 'withdrawn'> | null;
};

/**
 * The verification status after a check. A domain is withdrawn only after two failed checks at least a day apart, with
 * no passed check in between, because zones get edited and resolvers have outages.
 */
export function decideVerification(verification: Verification, result: CheckResult, now: Date): VerificationChange {
  if (result === 'unknown') return { verification, event: null };
  if (result === 'passed') return passed(verification, now);
  if (verification.status !== 'verified' || verification.verifiedByOperator) return { verification, event: null };
  const { failingSince } = verification;
  if (failingSince === null) return { verification: { ...verification, failingSince: now }, event: null };
  if (now.getTime() - failingSince.getTime() < DAY_MS) return { verification, event: null };
  return {
    verification: { ...verification, status: 'withdrawn', statusSince: now, failingSince: null },
    event: 'withdrawn',
  };
}

function passed(verification: Verification, now: Date): VerificationChange {
  const proved = { ...verification, verifiedByOperator: false, failingSince: null };
  if (verification.status === 'verified') return { verification: proved, event: null };
  return { verification: { ...proved, status: 'verified', statusSince: now, verifiedAt: now }, event: 'verified' };
}

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
export function computeNextCheckAt(
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
