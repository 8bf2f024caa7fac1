import type { Caller } from '@posthorn/domain/accounts';
import { findEmailSummary } from '@posthorn/domain/emails';
import { Refusal } from '@posthorn/domain/errors';
import { testWorkspaceOf, type Workspace } from '@posthorn/domain/workspaces';
import { isId } from '@posthorn/platform/values';
import type { ApiContext } from '../context/api-context.js';

/**
 * The workspace that has the email with this id. A key finds only mail of its own mode; a session finds both.
 * @throws Refusal not_found if the id is malformed
 */
export async function workspaceWithEmail(
  ctx: ApiContext,
  { kind, workspace }: Caller,
  id: string | undefined,
): Promise<{ readonly workspace: Workspace; readonly id: string }> {
  if (id === undefined || !isId(id)) throw new Refusal('not_found', { what: 'email' });
  const test = kind === 'session' ? testWorkspaceOf(workspace) : null;
  const isTestMail = test !== null && (await findEmailSummary(ctx.db, test.id, id)) !== null;
  return { workspace: isTestMail ? test : workspace, id };
}
