import type { Context } from '../context.js';
import { type FieldFault, invalid } from '../errors.js';
import type { Workspace } from './workspace.js';
import { updateWorkspaceRow, type WorkspaceChange } from './workspace-store.js';

/**
 * Renames a workspace, or sets how long it keeps its emails. Workers delete older emails within minutes.
 * @throws Refusal validation_failed for more days than the service keeps emails
 */
export async function updateWorkspace(
  ctx: Pick<Context, 'config' | 'db'>,
  workspace: Workspace,
  change: WorkspaceChange,
): Promise<Workspace> {
  const { name = workspace.name, ...days } = change;
  const { contentRetentionDays, emailRetentionDays } = ctx.config;
  assertKept('content_retention_days', days.contentDays, contentRetentionDays);
  assertKept('email_retention_days', days.emailDays, emailRetentionDays);
  await updateWorkspaceRow(ctx.db, workspace.id, change);
  return { ...workspace, name, retention: { ...workspace.retention, ...days } };
}

function assertKept(field: FieldFault['field'], days: number | null | undefined, max: number): void {
  if (days === undefined || days === null || days <= max) return;
  const message = `is ${days}, but the maximum on this service is ${max} days. Choose fewer days, or null for the maximum`;
  throw invalid({ field, message });
}
