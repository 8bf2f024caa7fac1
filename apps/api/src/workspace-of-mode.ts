import type { Mode } from '@posthorn/contract';
import type { Caller } from '@posthorn/domain/accounts';
import { findEmailSummary } from '@posthorn/domain/emails';
import { invalid, Refusal } from '@posthorn/domain/errors';
import { getMode, toTestWorkspace, type Workspace } from '@posthorn/domain/workspaces';
import { isId } from '@posthorn/platform/values';
import type { ApiContext } from './context.js';

/**
 * The caller's workspace for live mail or for test mail. Without a mode, it is that of the key, or for live mail.
 * @returns null if nothing of that mode exists
 * @throws Refusal validation_failed if a key asks for the other mode
 */
export function workspaceOfMode({ kind, workspace }: Caller, mode: Mode | undefined): Workspace | null {
  if (kind === 'session') return mode === 'test' ? toTestWorkspace(workspace) : workspace;
  const own = getMode(workspace);
  if (mode === undefined || mode === own) return workspace;
  const message = `is ${mode}, but this is a ${own} key. Use a ${mode} key, or leave it out`;
  throw invalid({ field: 'mode', message });
}

/**
 * The workspace that has the email with this id. A key finds only mail of its own mode; a session finds both.
 * @throws Refusal not_found if the id is malformed
 */
export async function getWorkspaceWithEmail(
  ctx: ApiContext,
  { kind, workspace }: Caller,
  id: string | undefined,
): Promise<{ readonly workspace: Workspace; readonly id: string }> {
  if (id === undefined || !isId(id)) throw new Refusal('not_found', { what: 'email' });
  const test = kind === 'session' ? toTestWorkspace(workspace) : null;
  const isTestMail = test !== null && (await findEmailSummary(ctx.db, test.id, id)) !== null;
  return { workspace: isTestMail ? test : workspace, id };
}
