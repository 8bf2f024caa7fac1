import { invalid } from '@posthorn/domain/errors';
import type { Knex } from 'knex';
import { findDomain } from './domain-store.js';

/**
 * @param known ids that were checked before. Their domains may be deleted now.
 * @throws Refusal validation_failed that names the first other id that is not a domain of the workspace
 */
export async function assertOwnDomains(
  db: Knex,
  workspaceId: string,
  ids: readonly string[] | null,
  known: readonly string[] | null = null,
): Promise<void> {
  for (const [index, id] of (ids ?? []).entries()) {
    if (known?.includes(id) || (await findDomain(db, workspaceId, id))) continue;
    throw invalid({ field: `domain_ids[${index}]`, message: 'is not the id of a domain of this workspace' });
  }
}
