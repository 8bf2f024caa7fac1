import type { AuditAction } from '@posthorn/contract';
import { listChangedTargets } from '@posthorn/domain/audit-log';
import type { Context } from '@posthorn/platform';
import { MINUTE_MS, toFirstId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import type { Workspace } from './workspace.js';
import { findWorkspacesWith } from './workspace-store.js';

/** A workspace gets an event when its sends reach this share of what a period includes, in percent. */
const THRESHOLDS_PERCENT = [80, 100] as const;

/**
 * The last part of the statement that counts sends. It reads `counted`, with the sends of this statement and the number
 * of sends that the period includes, and `new_usage`, with the sums afterwards. The stream of the event depends only on
 * the workspace, the period and the percentage, so a threshold that is crossed again after a refund has no second event.
 * The id of the event begins with the current time, as other ids do, because lists and partitions of deliveries rely on
 * it.
 */
export const INSERT_USAGE_EVENTS = `
  insert into events (id, stream_id, sequence, workspace_id, type, data, created_at)
  select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || right(replace(stream_id::text, '-', ''), 20))::uuid,
    stream_id, 1, workspace_id, 'usage.threshold',
    jsonb_build_object('period', period, 'percent', percent, 'used', used, 'limit', included), now()
  from counted join new_usage using (workspace_id, period)
  cross join (values ${THRESHOLDS_PERCENT.map((percent) => `(${percent})`).join(', ')}) as threshold (percent),
  usage_event_id(workspace_id, period, percent) as stream_id
  where used * 100 >= included * percent and (used - sends) * 100 < included * percent
  on conflict (stream_id, sequence) do nothing`;

/** Writes the events of thresholds that the current periods of workspaces have reached because limits were changed. */
export async function insertReachedThresholds(
  trx: Knex,
  workspaces: ReadonlyArray<Pick<Workspace, 'id' | 'allowance'>>,
): Promise<void> {
  await trx.raw(
    `with counted as (
       select usage.workspace_id, usage.period, used as sends, included
       from unnest(:ids::uuid[], :monthly::bigint[], :daily::bigint[]) as allowance (workspace_id, monthly, daily)
       cross join lateral (
         values (to_char(now() at time zone 'UTC', 'YYYY-MM'), monthly), (to_char(now() at time zone 'UTC', 'YYYY-MM-DD'), daily)
       ) as limits (period, included)
       join usage on usage.workspace_id = allowance.workspace_id and usage.period = limits.period
     ),
     new_usage as (select workspace_id, period, sends as used from counted)
     ${INSERT_USAGE_EVENTS}`,
    {
      ids: workspaces.map(({ id }) => id),
      monthly: workspaces.map(({ allowance }) => allowance.monthly),
      daily: workspaces.map(({ allowance }) => allowance.daily),
    },
  );
}

/** Longer than any request takes, and than the pause between two clean-ups. */
const LOOK_BACK_MS = 10 * MINUTE_MS;

const LIMIT_CHANGES: readonly AuditAction[] = [
  'plan.limits_changed',
  'workspace.limits_changed',
  'workspace.plan_changed',
];

/**
 * Writes the events of thresholds that were passed while a process still used the limits before a change. Accepting an
 * email looks only for thresholds that it passes itself, because looking for all of them would make it slower.
 * @param now the time according to Postgres
 */
export async function insertMissedThresholds({ config, db }: Pick<Context, 'config' | 'db'>, now: Date): Promise<void> {
  const changed = await listChangedTargets(db, LIMIT_CHANGES, toFirstId(now.getTime() - LOOK_BACK_MS));
  if (changed.length === 0) return;
  const listIds = (type: string) => changed.filter((target) => target.type === type).map(({ id }) => id);
  const affected = { ids: listIds('workspace'), planIds: listIds('plan') };
  await insertReachedThresholds(db, await findWorkspacesWith(db, affected, config.rateLimitPerMinute));
}
