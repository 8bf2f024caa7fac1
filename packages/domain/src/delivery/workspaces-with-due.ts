/**
 * `with_due (workspace_id)` of a recursive query: the workspaces with due emails, in order. Skips through the index of
 * due emails, with one lookup per workspace that has any.
 */
export const WORKSPACES_WITH_DUE = `with_due as (
      (
        select workspace_id from deliveries where is_due and lease_until is null
        order by workspace_id, priority, due_at limit 1
      )
      union all
      select following.workspace_id from with_due, lateral (
        select workspace_id from deliveries
        where is_due and lease_until is null and deliveries.workspace_id > with_due.workspace_id
        order by workspace_id, priority, due_at limit 1
      ) as following
    )`;
