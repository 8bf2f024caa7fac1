import type { Mode, Scope } from '@posthorn/contract';
import {
  buildWorkspaceColumns,
  joinWorkspace,
  toWorkspace,
  type Workspace,
  type WorkspaceRow,
} from '@posthorn/domain/workspaces';
import { type ListPage, listColumns, listPageById, type Pagination, toColumns } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';

/** An API key without its secret. */
export type ApiKey = {
  id: string;
  name: string;
  mode: Mode;
  /** The last four characters of the key, so that people can tell keys apart. */
  hint: string;
  scopes: Scope[];
  /** The sending domains that the key may send from; null for any sender. */
  domainIds: string[] | null;
  /** The networks that the key may be used from, each with its prefix length; null for any. */
  networks: string[] | null;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
};

export type KeyWithWorkspace = ApiKey & { secretHash: Buffer; workspace: Workspace };

const columns = listColumns(
  'api_keys',
  'id name mode hint scopes domainIds networks createdAt expiresAt revokedAt lastUsedAt',
);

export async function insertKey(db: Knex, workspaceId: string, key: ApiKey & { secretHash: Buffer }): Promise<void> {
  const { id, name, mode, secretHash, hint, scopes, domainIds, networks, createdAt, expiresAt } = key;
  const restrictions = { domainIds, networks, expiresAt };
  const row = { id, workspaceId, name, mode, secretHash, hint, scopes, ...restrictions, createdAt };
  await db('api_keys').insert(toColumns(row));
}

/**
 * One page of keys, newest first.
 * @param revoked true for only revoked keys, false for only the others, null for all keys
 */
export async function listKeys(
  db: Knex,
  { workspaceId, revoked }: { workspaceId: string; revoked: boolean | null },
  pagination: Pagination,
): Promise<ListPage<ApiKey>> {
  const query = db('api_keys').select(columns).where({ workspace_id: workspaceId });
  if (revoked !== null) query.whereRaw(`revoked_at is ${revoked ? 'not null' : 'null'}`);
  return listPageById(query, pagination, (key: ApiKey) => key, 'api_keys.id');
}

/**
 * Lists keys newest first, including revoked ones. For the operator only.
 * @param workspaceId null for all workspaces
 * @param page at most `limit` keys that are older than the key with the id `after`; null means no bound
 */
export async function listAllKeys(
  db: Knex,
  workspaceId: string | null,
  { limit, after }: { limit: number | null; after: string | null },
): Promise<Array<ApiKey & { workspaceId: string }>> {
  const query = db('api_keys')
    .select([...columns, 'workspace_id as workspaceId'])
    .orderBy('api_keys.id', 'desc');
  if (workspaceId !== null) query.where({ workspace_id: workspaceId });
  if (after !== null) query.where('api_keys.id', '<', after);
  if (limit !== null) query.limit(limit);
  return query;
}

export async function countLiveKeys(db: Knex, workspaceId: string): Promise<number> {
  const row = await db('api_keys').where({ workspace_id: workspaceId, revoked_at: null }).count<{ count: number }[]>();
  return row[0]?.count ?? 0;
}

/** The key with its workspace, even if the key may no longer be used. */
export async function findKeyWithWorkspace(
  db: Knex,
  id: string,
  defaultRate: number,
): Promise<KeyWithWorkspace | null> {
  const query = db('api_keys')
    .select(columns)
    .select('secret_hash as secretHash')
    .select(buildWorkspaceColumns(db))
    .where('api_keys.id', id);
  const row: (Omit<KeyWithWorkspace, 'workspace'> & WorkspaceRow) | undefined = await joinWorkspace(
    query,
    'api_keys.workspace_id',
  ).first();
  return row ? { ...row, workspace: toWorkspace(row, defaultRate) } : null;
}

type KeyRef = { readonly workspaceId: string; readonly id: string };

/** @returns the key's name; null, and writes nothing, if there is no such key or it was revoked before */
export async function markRevoked(db: Knex, { workspaceId, id }: KeyRef, now: Date): Promise<string | null> {
  const [revoked] = await db('api_keys')
    .where({ workspace_id: workspaceId, id, revoked_at: null })
    .update({ revoked_at: now })
    .returning('name');
  return revoked?.name ?? null;
}

export async function isKeyStored(db: Knex, { workspaceId, id }: KeyRef): Promise<boolean> {
  return (await db('api_keys').select('id').where({ workspace_id: workspaceId, id }).first()) !== undefined;
}

export async function updateLastUsed(db: Knex, id: string, now: Date): Promise<void> {
  await db('api_keys').where({ id }).update({ last_used_at: now });
}
