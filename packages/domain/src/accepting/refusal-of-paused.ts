import { Refusal } from '../errors.js';
import { isTest } from '../workspaces/test-workspace.js';
import type { Workspace } from '../workspaces/workspace.js';

/** The refusal of live mail from a paused workspace. Test mail is never sent, so it harms nobody. */
export function refusalOfPaused(workspace: Workspace): Refusal | null {
  if (workspace.pause === null || isTest(workspace)) return null;
  return new Refusal('workspace_paused', { reason: workspace.pause.reason });
}
