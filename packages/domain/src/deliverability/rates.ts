import type { RateLevel } from '@posthorn/contract';
import { limits, MIN_BOUNCING_DOMAINS, MIN_COMPLAINTS_FOR_RATE, MIN_SENT_FOR_RATE } from '@posthorn/domain/limits';
import { formatCount, formatCountOf } from '@posthorn/platform/values';

/** Recipients of live mail within a time. */
export type SendingCounts = {
  /** Whose mail server took the message or refused it. */
  readonly sent: number;
  readonly bounced: number;
  /** Those of the bounces whose mailbox does not exist or is no longer used. */
  readonly hardBounced: number;
  /**
   * Those of the bounces that say something about the recipient, and that a mail server replied with or a relay of ours
   * reported. Only they are compared with the limits.
   */
  readonly countedBounces: number;
  /** Complaints that a mailbox provider has signed. */
  readonly complained: number;
  /** Complaints that anybody may have written. They are not compared with the limits. */
  readonly unauthenticatedComplaints: number;
};

type SendingRates = {
  /** Shares of the recipients, between 0 and 1; null if there are too few recipients to tell. */
  readonly bounceRate: number | null;
  readonly complaintRate: number | null;
  readonly level: RateLevel;
};

type Reached = Exclude<RateLevel, 'ok'>;

/** What the rates are, and which limits they have reached. */
export function toSendingRates(counts: SendingCounts): SendingRates {
  const { sent, countedBounces, complained } = counts;
  const isEnough = sent >= MIN_SENT_FOR_RATE;
  return {
    bounceRate: isEnough ? toShare(countedBounces, sent) : null,
    complaintRate: isEnough ? toShare(complained, sent) : null,
    level: (['pause', 'warning'] as const).find((level) => listReachedLimits(counts, level).length > 0) ?? 'ok',
  };
}

/** A limit that was reached. `what` comes before `count`, as in: emails bounced for 7 of 100 recipients. */
type ReachedLimit = { readonly count: number; readonly what: string; readonly percent: number };

function listReachedLimits({ sent, countedBounces, complained }: SendingCounts, level: Reached): ReachedLimit[] {
  const isPause = level === 'pause';
  const bounces = {
    count: countedBounces,
    what: 'bounced for',
    percent: (isPause ? limits.bouncePause : limits.bounceWarning).max,
  };
  const complaints = {
    count: complained,
    what: 'were marked as spam by',
    percent: (isPause ? limits.complaintPause : limits.complaintWarning).max,
  };
  const compared = [bounces, ...(complained >= MIN_COMPLAINTS_FOR_RATE ? [complaints] : [])];
  return sent < MIN_SENT_FOR_RATE ? [] : compared.filter(({ count, percent }) => count * 100 >= percent * sent);
}

/** Five decimals, so that a complaint rate has three digits. */
function toShare(part: number, whole: number): number {
  return Math.round((part / whole) * 100_000) / 100_000;
}

/** What counts for the limits. */
export type CountsForLimits = {
  readonly workspace: SendingCounts;
  /** The workspace's own sending domains. Mail of the platform domain only counts for the workspace. */
  readonly domains: ReadonlyArray<{ readonly name: string; readonly counts: SendingCounts }>;
  /** Whether the workspace was resumed in the last 7 days, so that only what was sent since then counts. */
  readonly isSinceResume: boolean;
  /** Only hours that began later count. */
  readonly since: Date;
};

/** More bounces than this always count, whichever domains they are at. */
export const MAX_BOUNCES_BY_DOMAIN = 2 * limits.bouncesOfOneDomain.max;

/**
 * How many bounces count towards a pause, so that one receiving domain cannot pause a workspace with a handful of
 * addresses. They have to be at five domains or more, and the domain with the most counts for at most as many as all
 * others together. If one domain has a hundred, all count.
 * @param bouncesByDomain how many bounces each receiving domain has
 */
export function countSpreadBounces(bouncesByDomain: readonly number[]): number {
  const total = bouncesByDomain.reduce((sum, bounces) => sum + bounces, 0);
  const most = Math.max(0, ...bouncesByDomain);
  if (most >= limits.bouncesOfOneDomain.max) return total;
  return bouncesByDomain.length < MIN_BOUNCING_DOMAINS ? 0 : Math.min(total, 2 * (total - most));
}

/** Which limits a workspace has reached, and why, in sentences that its owners will read. */
export type RateEvaluation = { readonly level: Reached; readonly reason: string };

/**
 * Compares what a workspace has sent with the limits. Mailbox providers look at each domain by itself, so one domain is
 * enough for a warning. Only the rates of the whole workspace pause it.
 * @param spreadBounces how many bounces count towards a pause
 * @returns null if no limit was reached
 */
export function evaluateCounts(
  { workspace, domains, isSinceResume }: CountsForLimits,
  spreadBounces = workspace.countedBounces,
): RateEvaluation | null {
  const when = isSinceResume ? 'Since sending was resumed' : 'In the last 7 days';
  const spread = { ...workspace, countedBounces: spreadBounces };
  if (toSendingRates(spread).level === 'pause')
    return { level: 'pause', reason: describe(when, 'emails', spread, 'pause') };
  if (toSendingRates(workspace).level !== 'ok')
    return { level: 'warning', reason: describe(when, 'emails', workspace, 'warning') };
  const reasons = domains
    .filter(({ counts }) => toSendingRates(counts).level !== 'ok')
    .map(({ name, counts }) => describe(when, `emails from ${name}`, counts, 'warning'));
  return reasons.length === 0 ? null : { level: 'warning', reason: reasons.join(' ') };
}

function describe(when: string, emails: string, counts: SendingCounts, level: Reached): string {
  return listReachedLimits(counts, level)
    .map(({ count, what, percent }) => {
      const share = formatCount(toShare(count, counts.sent) * 100);
      const recipients = formatCountOf(counts.sent, 'recipient');
      return `${when}, ${emails} ${what} ${formatCount(count)} of ${recipients} (${share}%); the limit is ${percent}%.`;
    })
    .join(' ');
}
