import type { Knex } from 'knex';
import type { AuditTarget } from '../audit-log/actions.js';
import { Refusal } from '../errors.js';
import { isId } from '../ids.js';
import { workspaceTarget } from './describe-workspace.js';

/**
 * Locks a workspace that does not hold test mail.
 * @returns what the audit log calls it
 * @throws Refusal not_found
 */
export async function lockLiveWorkspace(trx: Knex, id: string): Promise<AuditTarget> {
  const row = isId(id)
    ? await trx('workspaces').select('id', 'name').where({ id }).whereNull('test_of').forNoKeyUpdate().first()
    : undefined;
  if (!row) throw new Refusal('not_found', { what: 'workspace' });
  return workspaceTarget(row);
}
