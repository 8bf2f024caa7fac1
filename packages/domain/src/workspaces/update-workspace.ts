import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { type FieldFault, invalid, Refusal } from '@posthorn/domain/errors';
import type { Context } from '@posthorn/platform';
import { describeSettings, workspaceTarget } from './describe-workspace.js';
import type { Workspace } from './workspace.js';
import { lockSettings, updateWorkspaceRow, type WorkspaceChange } from './workspace-store.js';

/**
 * Renames a workspace, or sets how long it keeps its emails. Workers delete older emails within minutes.
 * @throws Refusal validation_failed for more days than the service keeps emails; not_found
 */
export async function updateWorkspace(
  ctx: Pick<Context, 'config' | 'db'>,
  actor: Actor,
  workspace: Workspace,
  change: WorkspaceChange,
): Promise<Workspace> {
  const { contentRetentionDays, emailRetentionDays } = ctx.config;
  assertKept('content_retention_days', change.contentDays, contentRetentionDays);
  assertKept('email_retention_days', change.emailDays, emailRetentionDays);
  return ctx.db.transaction(async (trx) => {
    const before = await lockSettings(trx, workspace.id);
    if (!before) throw new Refusal('not_found', { what: 'workspace' });
    const after = { ...before, ...change };
    await updateWorkspaceRow(trx, workspace.id, change);
    await recordChange(trx, actor, {
      workspaceId: workspace.id,
      action: 'workspace.updated',
      target: workspaceTarget(after),
      before: describeSettings(before),
      after: describeSettings(after),
    });
    const { name, contentDays, emailDays } = after;
    return { ...workspace, name, retention: { contentDays, emailDays } };
  });
}

function assertKept(field: FieldFault['field'], days: number | null | undefined, max: number): void {
  if (days === undefined || days === null || days <= max) return;
  const message = `is ${days}, but the maximum on this service is ${max} days. Choose fewer days, or null for the maximum`;
  throw invalid({ field, message });
}
