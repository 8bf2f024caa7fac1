import type { AuditAction } from '@posthorn/contract';
import { listChangedTargets } from '@posthorn/domain/audit-log';
import type { Context } from '@posthorn/platform';
import { firstIdAt, MINUTE_MS } from '@posthorn/platform/values';
import { insertReachedThresholds } from './usage-threshold-store.js';
import { findWorkspacesWith } from './workspace-store.js';

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
  const changed = await listChangedTargets(db, LIMIT_CHANGES, firstIdAt(now.getTime() - LOOK_BACK_MS));
  if (changed.length === 0) return;
  const idsOf = (type: string) => changed.filter((target) => target.type === type).map(({ id }) => id);
  const affected = { ids: idsOf('workspace'), planIds: idsOf('plan') };
  await insertReachedThresholds(db, await findWorkspacesWith(db, affected, config.rateLimitPerMinute));
}
