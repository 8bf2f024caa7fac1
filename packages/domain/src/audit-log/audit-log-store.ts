import type { ActorType, AuditAction, AuditTarget, AuditTargetType } from '@posthorn/contract';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import {
  deleteInBatches,
  type ListPage,
  listColumns,
  listSizedPage,
  type Pagination,
  toColumns,
} from '@posthorn/platform/postgres';
import { DAY_MS, getIdTime, toFirstId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import type { Actor, Changes } from './audit-entry.js';

type NewAuditEntry = {
  readonly id: string;
  readonly workspaceId: string | null;
  readonly actor: Actor;
  readonly action: AuditAction;
  readonly target: AuditTarget;
  readonly changes: Changes;
};

export type AuditEntry = NewAuditEntry & { readonly createdAt: Date };

/** null means any. */
type AuditFilters = {
  readonly action: AuditAction | null;
  readonly actorId: string | null;
  readonly targetId: string | null;
};

/** Postgres writes ids in lower case, but a request may write them in capitals. The log is searched by this text. */
export async function insertEntry(trx: Knex, { actor, target, changes, ...entry }: NewAuditEntry): Promise<void> {
  const targetFields = { targetType: target.type, targetId: target.id.toLowerCase(), targetLabel: target.label };
  const actorFields = { actorType: actor.type, actorId: actor.id, actorLabel: actor.label, ip: actor.ip };
  const createdAt = new Date(getIdTime(entry.id));
  await trx('audit_log').insert(
    toColumns({ ...entry, ...actorFields, ...targetFields, changes: JSON.stringify(changes), createdAt }),
  );
}

/** One page of a workspace's entries, newest first. The page ends early if its entries are long. */
export async function listAuditEntries(
  db: Knex,
  { workspaceId, action, actorId, targetId }: AuditFilters & { readonly workspaceId: string },
  pagination: Pagination,
): Promise<ListPage<AuditEntry>> {
  const query = db('audit_log')
    .select(listColumns('audit_log', 'id workspaceId action changes createdAt ip'))
    .select(listColumns('audit_log', 'actorType actorId actorLabel targetType targetId targetLabel'))
    .where({ workspace_id: workspaceId });
  if (action !== null) query.where({ action });
  if (actorId !== null) query.where({ actor_id: actorId });
  if (targetId !== null) query.where({ target_id: targetId });
  return listSizedPage(db, query, pagination, { bytes: 'octet_length(changes::text)', toItem: toEntry });
}

/** What was changed by these actions, in entries from this id on. */
export async function listChangedTargets(
  db: Knex,
  actions: readonly AuditAction[],
  from: string,
): Promise<Array<Pick<AuditTarget, 'type' | 'id'>>> {
  return db('audit_log')
    .distinct({ type: 'target_type', id: 'target_id' })
    .whereIn('action', actions)
    .where('id', '>=', from);
}

/** @returns how many of at most `limit` entries with lower ids were deleted */
async function deleteEntriesBelow(db: Knex, id: string, limit: number): Promise<number> {
  const oldest = db('audit_log').select('id').where('id', '<', id).orderBy('id').limit(limit);
  return db('audit_log').whereIn('id', oldest).delete();
}

type EntryRow = Omit<AuditEntry, 'actor' | 'target'> & { ip: string | null } & {
  actorType: ActorType;
  actorId: string | null;
  actorLabel: string | null;
  targetType: AuditTargetType;
  targetId: string;
  targetLabel: string;
};

function toEntry(row: EntryRow): AuditEntry {
  const { actorType, actorId, actorLabel, ip, targetType, targetId, targetLabel, ...entry } = row;
  return {
    ...entry,
    actor: { type: actorType, id: actorId, label: actorLabel, ip },
    target: { type: targetType, id: targetId, label: targetLabel },
  };
}

const ENTRIES_PER_STATEMENT = 1_000;

/**
 * Deletes the entries that are older than the audit log keeps them.
 * @param now the time according to Postgres
 * @param mayContinue called before each batch. If it returns false, the remaining entries are left for a later call
 */
export async function deleteOldEntries(
  { db }: Pick<Context, 'db'>,
  now: Date,
  mayContinue: () => boolean,
): Promise<void> {
  const below = toFirstId(now.getTime() - limits.auditLogDays.max * DAY_MS);
  await deleteInBatches((size) => deleteEntriesBelow(db, below, size), ENTRIES_PER_STATEMENT, mayContinue);
}
