import type { RateLevel } from '@posthorn/contract';
import { limits, MIN_COMPLAINTS_FOR_RATE, MIN_SENT_FOR_RATE } from '@posthorn/domain/limits';

/** Recipients of live mail within a time. */
export type SendingCounts = {
  /** Whose mail server took the message or refused it. */
  readonly sent: number;
  readonly bounced: number;
  /** Those of the bounces whose mailbox does not exist or is no longer used. */
  readonly hardBounced: number;
  readonly complained: number;
};

export type SendingRates = {
  /** Shares of the recipients, between 0 and 1; null if there are too few recipients to tell. */
  readonly bounceRate: number | null;
  readonly complaintRate: number | null;
  readonly level: RateLevel;
};

/** What the rates are, and which limits they have reached. */
export function ratesOf(counts: SendingCounts): SendingRates {
  const { sent, bounced, complained } = counts;
  const isEnough = sent >= MIN_SENT_FOR_RATE;
  return {
    bounceRate: isEnough ? shareOf(bounced, sent) : null,
    complaintRate: isEnough ? shareOf(complained, sent) : null,
    level: (['pause', 'warning'] as const).find((level) => reachedLimits(counts, level).length > 0) ?? 'ok',
  };
}

/** A limit that was reached. `what` comes before `count`, as in: emails bounced for 7 of 100 recipients. */
type ReachedLimit = { readonly count: number; readonly what: string; readonly percent: number };

export function reachedLimits(
  { sent, bounced, complained }: SendingCounts,
  level: Exclude<RateLevel, 'ok'>,
): ReachedLimit[] {
  const isPause = level === 'pause';
  const bounces = {
    count: bounced,
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
export function shareOf(part: number, whole: number): number {
  return Math.round((part / whole) * 100_000) / 100_000;
}
