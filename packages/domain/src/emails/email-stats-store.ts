import type { Knex } from 'knex';
import { MAX } from 'uuid';
import { firstIdAt } from '../ids.js';
import type { EmailStatus } from './email-status.js';

export type StatusCount = {
  readonly status: EmailStatus;
  /** Emails among the newest `most`. */
  readonly counted: number;
  /** Emails among the newest `most` and one more, which tells whether there are more. */
  readonly found: number;
  /** When the oldest of the counted was accepted. */
  readonly oldest: Date | null;
};

/**
 * The newest emails by state. It walks the index of workspace and id from its end, at most `most` + 1
 * rows however many there are: ids carry the time, so the walk also ends at `since` by itself.
 *
 * No other index has the order of both columns. With `workspace_id = ...` Postgres may walk the ids of
 * all workspaces instead, which for one that has been quiet means half a million rows to find none.
 */
export async function countNewest(
  db: Knex,
  workspaceId: string,
  { since, limit }: { since: Date; limit: number },
): Promise<readonly StatusCount[]> {
  const { rows } = await db.raw(
    `select status, count(*) filter (where place <= :limit) as counted, count(*) as found,
       min(created_at) filter (where place <= :limit) as oldest
     from (
       select status, created_at, row_number() over (order by workspace_id desc, id desc) as place
       from emails where (workspace_id, id) between (:workspaceId, :first) and (:workspaceId, :last)
       order by workspace_id desc, id desc limit :limit + 1
     ) as newest
     group by status`,
    { workspaceId, first: firstIdAt(since.getTime()), last: MAX, limit },
  );
  return rows;
}
