import { type EmailStatus, emailStatuses, handedOverStatuses } from '@posthorn/contract';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { inIndexOrder } from '@posthorn/platform/postgres';
import { DAY_MS, toFirstId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import { MAX } from 'uuid';

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

/**
 * Counts the emails from the last `days` periods of 24 hours by their current status.
 * @param domainIds leaves out emails from other domains; null for all emails
 */
export async function reportStats(
  ctx: Pick<Context, 'db' | 'now'>,
  workspaceId: string,
  days: number,
  domainIds: readonly string[] | null = null,
): Promise<EmailStats> {
  const since = new Date(ctx.now().getTime() - days * DAY_MS);
  const counts = await countNewest(ctx.db, workspaceId, { since, limit: limits.statsEmails.max, domainIds });
  const emails = sum(counts.map(({ counted }) => counted));
  const truncated = sum(counts.map(({ found }) => found)) > emails;
  const statuses = byStatus(counts);
  return { since: truncated ? findOldest(counts) : since, emails, truncated, statuses, ...toRates(statuses) };
}

function byStatus(counts: readonly StatusCount[]): EmailStats['statuses'] {
  const none = emailStatuses.map((status) => [status, 0]);
  return Object.fromEntries([...none, ...counts.map(({ status, counted }) => [status, counted])]);
}

function findOldest(counts: readonly StatusCount[]): Date {
  return new Date(Math.min(...counts.flatMap(({ oldest }) => oldest?.getTime() ?? [])));
}

/** Leaves out emails that were never attempted or are still unfinished, because they say nothing about delivery. */
function toRates(statuses: EmailStats['statuses']): Pick<EmailStats, 'deliveryRate' | 'bounceRate'> {
  const handedOver = sum(handedOverStatuses.map((status) => statuses[status]));
  const ended = handedOver + statuses.bounced + statuses.failed;
  const toRate = (part: number) => (ended === 0 ? null : Number((part / ended).toFixed(RATE_DIGITS)));
  return { deliveryRate: toRate(handedOver), bounceRate: toRate(statuses.bounced) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

type StatusCount = {
  readonly status: EmailStatus;
  /** Emails with this status among the newest `limit`. */
  readonly counted: number;
  /** Emails with this status among the newest `limit` + 1, which shows whether there are more. */
  readonly found: number;
  /** When the oldest counted email was accepted. */
  readonly oldest: Date | null;
};

/**
 * Counts the newest emails by status. It scans the index on workspace and id backwards and reads at most `limit` + 1
 * rows. Ids contain the time, so the scan also ends at `since` and skips older partitions.
 *
 * Postgres must use this index, because no other one has both columns in this order. With `workspace_id = ...`,
 * Postgres may scan the ids of all workspaces instead. For a workspace that has not sent for a while, Postgres might
 * then read half a million rows without finding one.
 */
async function countNewest(
  db: Knex,
  workspaceId: string,
  { since, limit, domainIds }: { since: Date; limit: number; domainIds: readonly string[] | null },
): Promise<readonly StatusCount[]> {
  const { rows } = await inIndexOrder(db, (trx) =>
    trx.raw(
      `select case when leased.email_id is null then status else 'sending' end as status,
       count(*) filter (where position <= :limit) as counted, count(*) as found,
       min(created_at) filter (where position <= :limit) as oldest
     from (
       select id, domain_id, status, created_at, row_number() over (order by workspace_id desc, id desc) as position
       from emails where (workspace_id, id) between (:workspaceId, :first) and (:workspaceId, :last) and id >= :first
       order by workspace_id desc, id desc limit :limit + 1
     ) as newest
     left join (
       select email_id from deliveries where lease_until is not null and workspace_id = :workspaceId
     ) as leased on leased.email_id = newest.id
     where :domainIds::uuid[] is null or newest.domain_id = any(:domainIds)
     group by 1`,
      { workspaceId, first: toFirstId(since.getTime()), last: MAX, limit, domainIds: domainIds && [...domainIds] },
    ),
  );
  return rows;
}
