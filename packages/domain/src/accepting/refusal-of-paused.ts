import { Refusal } from '@posthorn/domain/errors';
import { isTest, type Workspace } from '@posthorn/domain/workspaces';

/** The refusal of live mail from a paused workspace. Test mail is never sent, so it harms nobody. */
export function refusalOfPaused(workspace: Workspace): Refusal | null {
  if (workspace.pause === null || isTest(workspace)) return null;
  return new Refusal('workspace_paused', { reason: workspace.pause.reason });
}
