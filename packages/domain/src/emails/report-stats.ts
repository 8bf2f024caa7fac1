import { type EmailStatus, emailStatuses, handedOverStatuses } from '@posthorn/contract';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { DAY_MS } from '@posthorn/platform/values';
import { countNewest, type StatusCount } from './email-stats-store.js';

/** Enough decimals to show a single email among `limits.statsEmails`. */
const RATE_DIGITS = 4;

export type EmailStats = {
  /** Every email accepted since this time is counted. */
  readonly since: Date;
  readonly emails: number;
  /** Whether there were too many emails in the requested days to count them all. */
  readonly truncated: boolean;
  readonly statuses: Readonly<Record<EmailStatus, number>>;
  /** As a fraction (0 to 1) of the emails that were handed over, bounced or failed; null if there are none. */
  readonly deliveryRate: number | null;
  readonly bounceRate: number | null;
};

/** Counts the emails from the last `days` periods of 24 hours by their current status. */
export async function reportStats(
  ctx: Pick<Context, 'db' | 'now'>,
  workspaceId: string,
  days: number,
): Promise<EmailStats> {
  const since = new Date(ctx.now().getTime() - days * DAY_MS);
  const counts = await countNewest(ctx.db, workspaceId, { since, limit: limits.statsEmails.max });
  const emails = sum(counts.map(({ counted }) => counted));
  const truncated = sum(counts.map(({ found }) => found)) > emails;
  const statuses = byStatus(counts);
  return { since: truncated ? oldestOf(counts) : since, emails, truncated, statuses, ...ratesOf(statuses) };
}

function byStatus(counts: readonly StatusCount[]): EmailStats['statuses'] {
  const none = emailStatuses.map((status) => [status, 0]);
  return Object.fromEntries([...none, ...counts.map(({ status, counted }) => [status, counted])]);
}

function oldestOf(counts: readonly StatusCount[]): Date {
  return new Date(Math.min(...counts.flatMap(({ oldest }) => oldest?.getTime() ?? [])));
}

/** Leaves out emails that were never attempted or are still unfinished, because they say nothing about delivery. */
function ratesOf(statuses: EmailStats['statuses']): Pick<EmailStats, 'deliveryRate' | 'bounceRate'> {
  const handedOver = sum(handedOverStatuses.map((status) => statuses[status]));
  const ended = handedOver + statuses.bounced + statuses.failed;
  const rateOf = (part: number) => (ended === 0 ? null : Number((part / ended).toFixed(RATE_DIGITS)));
  return { deliveryRate: rateOf(handedOver), bounceRate: rateOf(statuses.bounced) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
