import type { RateLevel } from '@posthorn/contract';
import { formatCount, formatCountOf } from '@posthorn/platform/values';
import { ratesOf, reachedLimits, type SendingCounts, shareOf } from './rates.js';
import type { CountsForLimits } from './sending-stats-store.js';

type Reached = Exclude<RateLevel, 'ok'>;

/** Which limits a workspace has reached, and why, in sentences that its owners will read. */
export type RateEvaluation = { readonly level: Reached; readonly reason: string };

/**
 * Compares what a workspace has sent with the limits. Mailbox providers look at each domain by itself, so one domain is
 * enough for a warning. Only the rates of the whole workspace pause it.
 * @returns null if no limit was reached
 */
export function evaluateCounts({ workspace, domains, isSinceResume }: CountsForLimits): RateEvaluation | null {
  const when = isSinceResume ? 'Since sending was resumed' : 'In the last 7 days';
  const { level } = ratesOf(workspace);
  if (level !== 'ok') return { level, reason: describe(when, 'emails', workspace, level) };
  const reasons = domains
    .filter(({ counts }) => ratesOf(counts).level !== 'ok')
    .map(({ name, counts }) => describe(when, `emails from ${name}`, counts, 'warning'));
  return reasons.length === 0 ? null : { level: 'warning', reason: reasons.join(' ') };
}

function describe(when: string, emails: string, counts: SendingCounts, level: Reached): string {
  return reachedLimits(counts, level)
    .map(({ count, what, percent }) => {
      const share = formatCount(shareOf(count, counts.sent) * 100);
      const recipients = formatCountOf(counts.sent, 'recipient');
      return `${when}, ${emails} ${what} ${formatCount(count)} of ${recipients} (${share}%); the limit is ${percent}%.`;
    })
    .join(' ');
}
