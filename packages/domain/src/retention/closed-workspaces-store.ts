import type { Context } from '@posthorn/platform';
import { deleteInBatches } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';
import { deleteRowsById } from './workspace-retention-store.js';

const ROWS_PER_STATEMENT = 500;
/** Versions of templates and files can have megabytes each. */
const LARGE_ROWS_PER_STATEMENT = 20;

/** Workspaces that begin a round. A later round deletes the others. */
const MAX_WORKSPACES = 100;

/**
 * Deletes the workspaces that are closed, and everything in them, in small batches: an abandoned workspace can hold a
 * million suppressions. Any number of processes can do this at the same time.
 * @param mayContinue called before each batch. If it returns false, the remaining rows are left for a later call
 */
export async function deleteClosedWorkspaces(
  { db, log }: Pick<Context, 'db' | 'log'>,
  mayContinue: () => boolean,
): Promise<void> {
  for (const workspaceId of await listClosedWorkspaces(db)) {
    for (const id of await listWithTestWorkspace(db, workspaceId)) await deleteRowsOf(db, id, mayContinue);
    if (!mayContinue()) return;
    // What is left is deleted by foreign keys and a trigger.
    const deleted = await db('workspaces').where({ id: workspaceId }).whereNotNull('closed_at').delete();
    if (deleted > 0) log.info({ workspaceId }, 'workspace_deleted');
  }
}

/** In random order, so that one that cannot be deleted does not keep the others from being deleted. */
async function listClosedWorkspaces(db: Knex): Promise<string[]> {
  const { rows } = await db.raw('select id from workspaces where closed_at is not null order by random() limit ?', [
    MAX_WORKSPACES,
  ]);
  return rows.map(({ id }: { id: string }) => id);
}

async function listWithTestWorkspace(db: Knex, id: string): Promise<string[]> {
  return db('workspaces').where({ id }).orWhere({ test_of: id }).pluck('id');
}

/** The tables that people can fill, apart from partitioned ones. Each has an index that begins with the workspace. */
const TABLES = [
  'suppressions',
  'soft_bounces',
  'bounces',
  'idempotency_keys',
  'erasures',
  'audit_log',
  'api_keys',
  'sending_domains',
] as const;

async function deleteRowsOf(db: Knex, workspaceId: string, mayContinue: () => boolean): Promise<void> {
  const inBatches = (size: number, deleteBatch: (size: number) => Promise<number>) =>
    deleteInBatches(deleteBatch, size, mayContinue);
  await inBatches(ROWS_PER_STATEMENT, (size) => deleteEmails(db, workspaceId, size));
  await inBatches(ROWS_PER_STATEMENT, (size) => deleteEvents(db, workspaceId, size));
  await inBatches(ROWS_PER_STATEMENT, (size) => deleteWebhookDeliveries(db, workspaceId, size));
  await inBatches(LARGE_ROWS_PER_STATEMENT, (size) => deleteFiles(db, workspaceId, size));
  await inBatches(LARGE_ROWS_PER_STATEMENT, (size) => deleteFrom(db, 'template_versions', workspaceId, size));
  for (const table of TABLES) await inBatches(ROWS_PER_STATEMENT, (size) => deleteFrom(db, table, workspaceId, size));
}

/** Together with everything that belongs to them, and whether or not they are finished. */
async function deleteEmails(db: Knex, workspaceId: string, limit: number): Promise<number> {
  const ids = await db('emails').where({ workspace_id: workspaceId }).orderBy('id').limit(limit).pluck('id');
  await deleteRowsById(db('emails').where({ workspace_id: workspaceId }), 'id', ids);
  return ids.length;
}

/** The events that are not about emails. */
async function deleteEvents(db: Knex, workspaceId: string, limit: number): Promise<number> {
  const ids = await db('events').where({ workspace_id: workspaceId }).limit(limit).pluck('stream_id');
  await deleteRowsById(
    db('events').where({ workspace_id: workspaceId }),
    'stream_id',
    [...new Set<string>(ids)].sort(),
  );
  return ids.length;
}

async function deleteWebhookDeliveries(db: Knex, workspaceId: string, limit: number): Promise<number> {
  const ofWebhooks = (query: Knex.QueryBuilder) =>
    query.whereIn('webhook_id', db('webhooks').select('id').where({ workspace_id: workspaceId }));
  const ids = await ofWebhooks(db('webhook_deliveries')).limit(limit).pluck('event_id');
  await deleteRowsById(ofWebhooks(db('webhook_deliveries')), 'event_id', [...new Set<string>(ids)].sort());
  return ids.length;
}

/** The contents of files. Those in an object store are deleted later. */
async function deleteFiles(db: Knex, workspaceId: string, limit: number): Promise<number> {
  const { rows } = await db.raw(
    `with deleted as (
       delete from blobs where ctid = any(array(select ctid from blobs where workspace_id = :workspaceId limit :limit::int))
       returning object_key
     ),
     unused as (
       insert into unused_objects (object_key) select object_key from deleted where object_key is not null
     )
     select count(*)::int as deleted from deleted`,
    { workspaceId, limit },
  );
  return rows[0].deleted;
}

async function deleteFrom(
  db: Knex,
  table: (typeof TABLES)[number] | 'template_versions',
  workspaceId: string,
  limit: number,
): Promise<number> {
  const { rowCount } = await db.raw(
    'delete from ?? where ctid = any(array(select ctid from ?? where workspace_id = ? limit ?::int))',
    [table, table, workspaceId, limit],
  );
  return rowCount;
}
