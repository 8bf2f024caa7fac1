import { toAddressKey } from '@posthorn/domain/format';
import { EVERY_WORKSPACE } from '@posthorn/domain/workspaces';
import {
  type Db,
  inPipeline,
  type ListPage,
  listPageById,
  type Pagination,
  type Statement,
} from '@posthorn/platform/postgres';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import type { SoughtAddress } from './address-hash.js';
import type { Suppression } from './suppression.js';

/** The columns of a suppression, named as its fields. */
const columns = [
  ...['id', 'workspace_id as workspaceId', 'address', 'topic', 'reason', 'email_id as emailId', 'detail'],
  'created_at as createdAt',
];

/** What `insertSuppressions` adds. The address is in lower case. */
type NewSuppression = Omit<Suppression, 'id' | 'address' | 'createdAt'> & { readonly address: string };

/**
 * Adds suppressions. One that the workspace already has, with the same address, topic and reason, stays as it is.
 * @returns how many are new
 */
export async function insertSuppressions(trx: Knex, suppressions: readonly NewSuppression[]): Promise<number> {
  if (suppressions.length === 0) return 0;
  const rows = suppressions.map(({ workspaceId, address, topic, reason, emailId, detail }) => ({
    id: newId(),
    workspace_id: workspaceId,
    address,
    topic: topic ?? '',
    reason,
    email_id: emailId,
    detail,
  }));
  const { rowCount } = await trx.raw(
    `insert into suppressions (id, workspace_id, address, topic, reason, email_id, detail)
     select id, workspace_id, address, topic, reason, email_id, detail
     from json_to_recordset(?::json) as suppression (
       id uuid, workspace_id uuid, address text, topic text, reason text, email_id uuid, detail text
     )
     -- Every transaction inserts in the same order, so that no two can deadlock
     order by workspace_id, address, topic, reason
     on conflict (workspace_id, address, topic, reason) where address is not null do nothing`,
    [JSON.stringify(rows)],
  );
  return rowCount;
}

/** A suppression of `address`, which is known even if the suppression has only its hash. */
export type FoundSuppression = Pick<Suppression, 'topic' | 'reason'> & {
  /** The workspace that was asked about, even if the suppression is for all workspaces. */
  readonly workspaceId: string;
  readonly address: string;
  /** Whether the operator has suppressed the address for all workspaces. */
  readonly isForAllWorkspaces: boolean;
};

type FoundRow = Pick<FoundSuppression, 'address' | 'reason' | 'isForAllWorkspaces'> & {
  workspace_id: string;
  topic: string;
};

/** Finds the suppressions of each address in its workspace, and those for all workspaces. */
export async function findSuppressionsOfAddresses(
  db: Db,
  sought: readonly SoughtAddress[],
): Promise<FoundSuppression[]> {
  const rows = sought.map(({ workspaceId, address, hash }) => ({
    workspace_id: workspaceId,
    address,
    hash: hash.toString('hex'),
  }));
  const found = await inPipeline(db, (send) => send<FoundRow>(FIND, [JSON.stringify(rows)]));
  return found.map(({ workspace_id, topic, ...rest }) => ({
    workspaceId: workspace_id,
    topic: topic === '' ? null : topic,
    ...rest,
  }));
}

const FIND: Statement = {
  name: 'find_suppressions',
  text: `
    with sought as materialized (
      select workspace_id, address, decode(hash, 'hex') as hash
      from json_to_recordset($1::json) as sought (workspace_id uuid, address text, hash text)
    )
    select sought.workspace_id, sought.address, topic, reason, suppressions.workspace_id = '${EVERY_WORKSPACE}' as "isForAllWorkspaces"
    from sought join suppressions
      on suppressions.workspace_id in (sought.workspace_id, '${EVERY_WORKSPACE}')
      and suppressions.address = sought.address
    union all
    select sought.workspace_id, sought.address, topic, reason, false
    from sought join suppressions
      on suppressions.workspace_id = sought.workspace_id and address_hash = hash`,
};

/** Which suppressions of a workspace to list. Those for all workspaces are not among them. */
export type SuppressionFilters = {
  readonly reason?: Suppression['reason'] | undefined;
  readonly topic?: string | undefined;
  /** In any case. */
  readonly address?: string | undefined;
};

/** One page, newest first. */
export async function listSuppressions(
  db: Knex,
  workspaceId: string,
  { reason, topic, address }: SuppressionFilters,
  pagination: Pagination,
): Promise<ListPage<Suppression>> {
  const query = db('suppressions').select(columns).where({ workspace_id: workspaceId });
  if (reason !== undefined) query.where({ reason });
  if (topic !== undefined) query.where({ topic });
  if (address !== undefined) query.where({ address: toAddressKey(address) });
  return listPageById(query, pagination, toSuppression);
}

export async function findSuppressionById(db: Knex, workspaceId: string, id: string): Promise<Suppression | null> {
  const row = await db('suppressions').select(columns).where({ workspace_id: workspaceId, id }).first();
  return row ? toSuppression(row) : null;
}

/** There is at most one with this workspace, address, topic and reason. */
export async function findSameSuppression(
  db: Knex,
  { workspaceId, address, topic, reason }: Pick<NewSuppression, 'workspaceId' | 'address' | 'topic' | 'reason'>,
): Promise<Suppression | null> {
  const row = await db('suppressions')
    .select(columns)
    .where({ workspace_id: workspaceId, address, topic: topic ?? '', reason })
    .first();
  return row ? toSuppression(row) : null;
}

export async function deleteSuppressionRow(trx: Knex, workspaceId: string, id: string): Promise<Suppression | null> {
  const [row] = await trx('suppressions').where({ workspace_id: workspaceId, id }).delete().returning(columns);
  return row ? toSuppression(row) : null;
}

/** Deletes the bounces of an address that counted. */
export async function forgetBounces(
  trx: Knex,
  { workspaceId, address }: Pick<NewSuppression, 'workspaceId' | 'address'>,
): Promise<void> {
  await trx('soft_bounces').where({ workspace_id: workspaceId, address }).delete();
}

/** Deletes the bounces before this time. */
export async function forgetBouncesBefore(db: Knex, before: Date): Promise<void> {
  await db('soft_bounces').where('bounced_at', '<', before).delete();
}

/** The address stays suppressed, but only its hash is kept. */
export async function eraseSuppressedAddress(trx: Knex, { workspaceId, address, hash }: SoughtAddress): Promise<void> {
  await trx('suppressions')
    .where({ workspace_id: workspaceId, address })
    .update({ address: null, address_hash: hash, detail: null });
  await forgetBounces(trx, { workspaceId, address });
}

/** Another hash of the same address of a workspace. */
export type ChangedHash = { readonly workspaceId: string; readonly oldHash: Buffer; readonly newHash: Buffer };

/** @returns how many suppressions had one of the old hashes */
export async function replaceAddressHashes(db: Knex, changes: readonly ChangedHash[]): Promise<number> {
  const rows = changes.map(({ workspaceId, oldHash, newHash }) => ({
    workspace_id: workspaceId,
    old_hash: oldHash.toString('hex'),
    new_hash: newHash.toString('hex'),
  }));
  const { rowCount } = await db.raw(
    `update suppressions set address_hash = decode(new_hash, 'hex')
     from json_to_recordset(?::json) as changed (workspace_id uuid, old_hash text, new_hash text)
     where suppressions.workspace_id = changed.workspace_id and address_hash = decode(old_hash, 'hex')`,
    [JSON.stringify(rows)],
  );
  return rowCount;
}

/** A suppression without a topic has an empty one, because null would not be unique. */
function toSuppression({ topic, ...row }: Suppression & { readonly topic: string }): Suppression {
  return { ...row, topic: topic === '' ? null : topic };
}
