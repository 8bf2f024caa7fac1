import type { AuditTarget } from '@posthorn/contract';
import { Refusal } from '@posthorn/domain/errors';
import { isId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
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
