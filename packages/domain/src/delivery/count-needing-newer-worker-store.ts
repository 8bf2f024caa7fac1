import type { Db } from '@posthorn/platform/postgres';
import { IS_UNDERSTOOD } from './needs.js';
import { WORKSPACES_WITH_DUE } from './workspaces-with-due.js';

const MAX_PER_WORKSPACE = 1_000;
const MAX_EMAILS = 100_000;

/**
 * How many due emails need something that this version does not know, so that they wait for a newer worker. Looks at the
 * first emails of each workspace only: those that no worker claims are soon the first ones.
 */
export async function countNeedingNewerWorker(db: Db): Promise<number> {
  const { rows } = await db.raw(
    `with recursive ${WORKSPACES_WITH_DUE},
     first_emails as (
       select waiting.needs from with_due, lateral (
         select needs from deliveries
         where is_due and lease_until is null and deliveries.workspace_id = with_due.workspace_id
         order by workspace_id, priority, due_at limit ${MAX_PER_WORKSPACE}
       ) as waiting
       limit ${MAX_EMAILS}
     )
     select count(*) from first_emails where not (${IS_UNDERSTOOD})`,
  );
  return rows[0].count;
}
