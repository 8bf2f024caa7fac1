import type { SuppressionReason } from '@posthorn/contract';
import { toAddressKey } from '@posthorn/domain/format';
import { type ListPage, listPageById, type Pagination } from '@posthorn/platform/postgres';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import type { SoughtAddress } from './address-hash.js';

/** An address that gets no mail, or no mail of one topic. */
export type Suppression = {
  readonly id: string;
  /** The live workspace, or `EVERY_WORKSPACE`. */
  readonly workspaceId: string;
  /** In lower case; null after the recipient was erased. */
  readonly address: string | null;
  /** null for all mail, as for every bounce and complaint. An `unsubscribe` without a topic is for all topics. */
  readonly topic: string | null;
  readonly reason: SuppressionReason;
  /** The email that led to it; null if none did. */
  readonly emailId: string | null;
  /** What the mail server or the user said about it. */
  readonly detail: string | null;
  readonly createdAt: Date;
};

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

/** What a suppression counts as in the storage of its workspace (schema/tables/storage.ts). */
export const BYTES_PER_SUPPRESSION = 1_000;

/** How many of these the workspace does not have yet. */
export async function countNewSuppressions(
  trx: Knex,
  suppressions: ReadonlyArray<Pick<NewSuppression, 'workspaceId' | 'address' | 'topic' | 'reason'>>,
): Promise<number> {
  const rows = suppressions.map(({ workspaceId, address, topic, reason }) => ({
    workspace_id: workspaceId,
    address,
    topic: topic ?? '',
    reason,
  }));
  const { rows: counted } = await trx.raw(
    `select count(*) as added
     from (
       select distinct workspace_id, address, topic, reason
       from json_to_recordset(?::json) as suppression (workspace_id uuid, address text, topic text, reason text)
     ) as suppression
     where not exists (
       select from suppressions
       where suppressions.workspace_id = suppression.workspace_id and suppressions.address = suppression.address
         and suppressions.topic = suppression.topic and suppressions.reason = suppression.reason
     )`,
    [JSON.stringify(rows)],
  );
  return counted[0].added;
}

/** Which suppressions of a workspace to list. Those for all workspaces are not among them. */
export type SuppressionFilters = {
  readonly reason?: Suppression['reason'] | undefined;
  readonly topic?: string | undefined;
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

export async function forgetBounces(
  trx: Knex,
  { workspaceId, address }: Pick<NewSuppression, 'workspaceId' | 'address'>,
): Promise<void> {
  await trx('soft_bounces').where({ workspace_id: workspaceId, address }).delete();
}

/** The address stays suppressed, but only its hash is kept. */
export async function eraseSuppressedAddress(trx: Knex, { workspaceId, address, hash }: SoughtAddress): Promise<void> {
  await trx('suppressions')
    .where({ workspace_id: workspaceId, address })
    .update({ address: null, address_hash: hash, detail: null });
  await forgetBounces(trx, { workspaceId, address });
}

export type ChangedHash = { readonly workspaceId: string; readonly oldHash: Buffer; readonly newHash: Buffer };

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
