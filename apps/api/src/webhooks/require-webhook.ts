import type { Caller } from '@posthorn/domain/accounts';
import { Refusal } from '@posthorn/domain/errors';
import { findWebhook, type Webhook } from '@posthorn/domain/webhooks';
import { toTestWorkspace, type Workspace } from '@posthorn/domain/workspaces';
import { isId } from '@posthorn/platform/values';
import type { ApiContext } from '../context.js';

/** A webhook, and the live or test workspace whose events it gets. */
type FoundWebhook = { readonly webhook: Webhook; readonly workspace: Workspace };

/**
 * A key finds only webhooks of its own mode; a session finds both.
 * @throws Refusal not_found
 */
export async function requireWebhook(
  { db }: Pick<ApiContext, 'db'>,
  { kind, workspace }: Caller,
  id: string | undefined,
): Promise<FoundWebhook> {
  if (id === undefined || !isId(id)) throw webhookNotFound();
  const test = kind === 'session' ? toTestWorkspace(workspace) : null;
  for (const candidate of test === null ? [workspace] : [workspace, test]) {
    const webhook = await findWebhook(db, candidate.id, id);
    if (webhook) return { webhook, workspace: candidate };
  }
  throw webhookNotFound();
}

export function webhookNotFound(): Refusal {
  return new Refusal('not_found', { what: 'webhook' });
}
