import type { AuditAction, AuditTarget } from '@posthorn/contract';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import type { Actor } from './actor.js';
import { insertEntry } from './audit-log-store.js';
import { type AuditedFields, changesBetween } from './changes.js';

type RecordedChange = {
  /** The live workspace; null for a change that concerns all workspaces on a plan. */
  readonly workspaceId: string | null;
  readonly action: AuditAction;
  readonly target: AuditTarget;
  /** The target before the change; null if it is new. Must contain no secrets, except in `Summarized` values. */
  readonly before: AuditedFields | null;
  /** The target after the change; null if it was deleted. */
  readonly after: AuditedFields | null;
};

/**
 * Writes an entry to the audit log. If no field differs, nothing was changed and there is no entry.
 * @param trx the transaction that makes the change, so that neither exists without the other
 */
export async function recordChange(trx: Knex.Transaction, actor: Actor, change: RecordedChange): Promise<void> {
  const { before, after, ...what } = change;
  const changes = changesBetween(before, after);
  if (Object.keys(changes).length > 0) await insertEntry(trx, { id: newId(), actor, ...what, changes });
}
