import type { Mode } from '@posthorn/contract';
import type { Caller } from '@posthorn/domain/accounts';
import { invalid } from '@posthorn/domain/errors';
import { modeOf, testWorkspaceOf, type Workspace } from '@posthorn/domain/workspaces';

/**
 * The caller's workspace for live mail or for test mail. Without a mode, it is that of the key, or for live mail.
 * @returns null if nothing of that mode exists
 * @throws Refusal validation_failed if a key asks for the other mode
 */
export function workspaceOfMode({ kind, workspace }: Caller, mode: Mode | undefined): Workspace | null {
  if (kind === 'session') return mode === 'test' ? testWorkspaceOf(workspace) : workspace;
  const own = modeOf(workspace);
  if (mode === undefined || mode === own) return workspace;
  const message = `is ${mode}, but this is a ${own} key. Use a ${mode} key, or leave it out`;
  throw invalid({ field: 'mode', message });
}
