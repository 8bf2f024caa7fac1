import type { ActorType, AuditAction, AuditTarget, AuditTargetType } from '@posthorn/contract';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import {
  buildSizedPage,
  deleteInBatches,
  type ListPage,
  type Pagination,
  type SizedRow,
  toPage,
} from '@posthorn/platform/postgres';
import { DAY_MS, firstIdAt, timeOfId } from '@posthorn/platform/values';
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
export async function insertEntry(trx: Knex, entry: NewAuditEntry): Promise<void> {
  const { id, workspaceId, actor, action, target, changes } = entry;
  await trx('audit_log').insert({
    id,
    workspace_id: workspaceId,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_label: actor.label,
    action,
    target_type: target.type,
    target_id: target.id.toLowerCase(),
    target_label: target.label,
    ip: actor.ip,
    changes: JSON.stringify(changes),
    created_at: new Date(timeOfId(id)),
  });
}

const columns = [
  ...['id', 'workspace_id', 'action', 'changes', 'created_at'],
  ...['actor_type', 'actor_id', 'actor_label', 'ip'],
  ...['target_type', 'target_id', 'target_label'],
];

/** One page of a workspace's entries, newest first. The page ends early if its entries are long. */
export async function listAuditEntries(
  db: Knex,
  { workspaceId, action, actorId, targetId }: AuditFilters & { readonly workspaceId: string },
  pagination: Pagination,
): Promise<ListPage<AuditEntry>> {
  const { limit, after, before } = pagination;
  const order = `id ${before === null ? 'desc' : 'asc'}`;
  const query = db('audit_log')
    .select(columns)
    .where({ workspace_id: workspaceId })
    .orderByRaw(order)
    .limit(limit + 1);
  if (action !== null) query.where({ action });
  if (actorId !== null) query.where({ actor_id: actorId });
  if (targetId !== null) query.where({ target_id: targetId });
  if (after !== null) query.where('id', '<', after);
  if (before !== null) query.where('id', '>', before);
  const rows: Array<EntryRow & SizedRow> = await buildSizedPage(db, query, {
    limit,
    order,
    bytes: 'octet_length(changes::text)',
  });
  const entries = rows.map(toEntry);
  const hasMore = (rows[0]?.found ?? 0) > rows.length;
  return toPage(before === null ? entries : entries.toReversed(), hasMore, pagination);
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

type EntryRow = {
  id: string;
  workspace_id: string | null;
  actor_type: ActorType;
  actor_id: string | null;
  actor_label: string | null;
  action: AuditAction;
  target_type: AuditTargetType;
  target_id: string;
  target_label: string;
  ip: string | null;
  changes: Changes;
  created_at: Date;
};

function toEntry(row: EntryRow): AuditEntry {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    actor: { type: row.actor_type, id: row.actor_id, label: row.actor_label, ip: row.ip },
    action: row.action,
    target: { type: row.target_type, id: row.target_id, label: row.target_label },
    changes: row.changes,
    createdAt: row.created_at,
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
  const below = firstIdAt(now.getTime() - limits.auditLogDays.max * DAY_MS);
  await deleteInBatches((size) => deleteEntriesBelow(db, below, size), ENTRIES_PER_STATEMENT, mayContinue);
}
