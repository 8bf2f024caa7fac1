import { DAY_MS } from '../../durations.js';
import type { DomainEventType } from '../domain/domain-event-store.js';
import type { Findings } from '../domain/finding.js';
import type { Verification } from '../domain/sending-domain.js';
import type { DnsRecord } from '../records/dns-records.js';

/** `unknown`: DNS could not be asked for everything, so the check says nothing for or against. */
export type CheckResult = 'passed' | 'failed' | 'unknown';

/** All required records must be there, and one that is gone is enough to fail. */
export function resultOfCheck(records: readonly DnsRecord[], findings: Findings): CheckResult {
  const required = records.filter((record) => record.required).map(({ key }) => findings[key]);
  const answered = required.filter((finding) => finding?.failure === null);
  if (answered.some((finding) => finding?.status !== 'verified')) return 'failed';
  return answered.length === required.length ? 'passed' : 'unknown';
}

export type VerificationChange = { readonly verification: Verification; readonly event: DomainEventType | null };

/**
 * What a check does to a domain. One failed check withdraws nothing: zones are edited, and resolvers
 * have bad days. Two of them must lie a day apart, without a good one in between.
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
  const proven = { ...verification, verifiedByOperator: false, failingSince: null };
  if (verification.status === 'verified') return { verification: proven, event: null };
  return { verification: { ...proven, status: 'verified', statusSince: now, verifiedAt: now }, event: 'verified' };
}
