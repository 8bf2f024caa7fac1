import { DAY_MS } from '../../durations.js';
import type { Findings } from '../domain/finding.js';
import type { Standing } from '../domain/sending-domain.js';
import type { DnsRecord } from '../records/dns-records.js';

/** `unknown`: DNS could not be asked for everything, so the check says nothing for or against. */
export type Verdict = 'passed' | 'failed' | 'unknown';

/** All required records must be there, and one that is gone is enough to fail. */
export function verdictOf(records: readonly DnsRecord[], findings: Findings): Verdict {
  const required = records.filter((record) => record.required).map(({ key }) => findings[key]);
  const answered = required.filter((finding) => finding?.failure === null);
  if (answered.some((finding) => finding?.status !== 'verified')) return 'failed';
  return answered.length === required.length ? 'passed' : 'unknown';
}

export type DomainEventType = 'verified' | 'withdrawn' | 'key_rotated';

export type Move = { readonly standing: Standing; readonly event: DomainEventType | null };

/**
 * What a check does to a domain. One failed check withdraws nothing: zones are edited, and resolvers
 * have bad days. Two of them must lie a day apart, without a good one in between.
 */
export function standingAfter(standing: Standing, verdict: Verdict, now: Date): Move {
  if (verdict === 'unknown') return { standing, event: null };
  if (verdict === 'passed') return passed(standing, now);
  if (standing.status !== 'verified' || standing.vouched) return { standing, event: null };
  const { failingSince } = standing;
  if (failingSince === null) return { standing: { ...standing, failingSince: now }, event: null };
  if (now.getTime() - failingSince.getTime() < DAY_MS) return { standing, event: null };
  return {
    standing: { ...standing, status: 'withdrawn', statusSince: now, failingSince: null },
    event: 'withdrawn',
  };
}

function passed(standing: Standing, now: Date): Move {
  const proven = { ...standing, vouched: false, failingSince: null };
  if (standing.status === 'verified') return { standing: proven, event: null };
  return { standing: { ...proven, status: 'verified', statusSince: now, verifiedAt: now }, event: 'verified' };
}
