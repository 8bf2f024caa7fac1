import type { DomainEventType } from '@posthorn/contract';
import { DAY_MS } from '@posthorn/platform/values';
import type { Findings } from '../domain/finding.js';
import type { Verification } from '../domain/sending-domain.js';
import type { DnsRecord } from '../records/dns-records.js';

/** `unknown` means that some queries failed, so the check neither passed nor failed. */
export type CheckResult = 'passed' | 'failed' | 'unknown';

/** All required records must be correct. One missing or wrong record fails the check, even if other queries failed. */
export function resultOfCheck(records: readonly DnsRecord[], findings: Findings): CheckResult {
  const required = records.filter((record) => record.required).map(({ key }) => findings[key]);
  const answered = required.filter((finding) => finding?.failure === null);
  if (answered.some((finding) => finding?.status !== 'verified')) return 'failed';
  return answered.length === required.length ? 'passed' : 'unknown';
}

/** What is wrong with the required records, such as `Missing or wrong: TXT record of _posthorn.example.com`. */
export function reasonOfFailure(records: readonly DnsRecord[], findings: Findings): string {
  const faulty = records.filter(
    ({ key, required }) => required && findings[key]?.failure === null && findings[key].status !== 'verified',
  );
  return `Missing or wrong: ${faulty.map(({ type, name }) => `${type} record of ${name}`).join(', ')}`;
}

export type VerificationChange = {
  readonly verification: Verification;
  readonly event: Extract<DomainEventType, 'verified' | 'withdrawn'> | null;
};

/**
 * The verification status after a check. A domain is withdrawn only after two failed checks at least a day apart, with
 * no passed check in between, because zones get edited and resolvers have outages.
 */
export function verificationAfter(verification: Verification, result: CheckResult, now: Date): VerificationChange {
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
