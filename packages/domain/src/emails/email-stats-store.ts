import type { EmailStatus } from '@posthorn/contract';
import { inIndexOrder } from '@posthorn/platform/postgres';
import { firstIdAt } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import { MAX } from 'uuid';

export type StatusCount = {
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
export async function countNewest(
  db: Knex,
  workspaceId: string,
  { since, limit }: { since: Date; limit: number },
): Promise<readonly StatusCount[]> {
  const { rows } = await inIndexOrder(db, (trx) =>
    trx.raw(
      `select case when leased.email_id is null then status else 'sending' end as status,
       count(*) filter (where position <= :limit) as counted, count(*) as found,
       min(created_at) filter (where position <= :limit) as oldest
     from (
       select id, status, created_at, row_number() over (order by workspace_id desc, id desc) as position
       from emails where (workspace_id, id) between (:workspaceId, :first) and (:workspaceId, :last) and id >= :first
       order by workspace_id desc, id desc limit :limit + 1
     ) as newest
     left join (
       select email_id from deliveries where lease_until is not null and workspace_id = :workspaceId
     ) as leased on leased.email_id = newest.id
     group by 1`,
      { workspaceId, first: firstIdAt(since.getTime()), last: MAX, limit },
    ),
  );
  return rows;
}
