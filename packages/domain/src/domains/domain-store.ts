import { invalid } from '@posthorn/domain/errors';
import { type ListPage, listColumns, listSizedPage, type Pagination, toColumns } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';
import type { Findings, SendingDomain, Verification } from './sending-domain.js';

/** All fields of a `SendingDomain`. */
export const domainColumns = listColumns(
  'sending_domains',
  'id workspaceId name status ownershipToken createdAt verifiedAt checkedAt findings trackOpens trackClicks hasTrackingHost',
);

export async function countDomains(db: Knex, workspaceId: string): Promise<number> {
  const [row] = await db('sending_domains')
    .where({ workspace_id: workspaceId, deleted_at: null })
    .count<{ count: number }[]>();
  return row?.count ?? 0;
}

/** @returns false when the workspace already has a domain with this name */
export async function insertDomain(db: Knex, domain: SendingDomain, nextCheckAt: Date | null): Promise<boolean> {
  const { id, workspaceId, name, status, ownershipToken, createdAt, verifiedAt } = domain;
  const times = { createdAt, verifiedAt, statusSince: createdAt, nextCheckAt };
  const inserted = await db('sending_domains')
    .insert(toColumns({ id, workspaceId, name, status, ownershipToken, ...times }))
    .onConflict(db.raw('(workspace_id, name) where deleted_at is null'))
    .ignore()
    .returning('id');
  return inserted.length > 0;
}

/** The domains of all workspaces, newest first. Only for the operator. */
export async function listAllDomains(db: Knex): Promise<SendingDomain[]> {
  return db('sending_domains').select(domainColumns).where({ deleted_at: null }).orderBy('id', 'desc');
}

/** One page, newest first. The page ends early if its domains have long DNS records. */
export async function listDomains(
  db: Knex,
  workspaceId: string,
  pagination: Pagination,
  ids: readonly string[] | null = null,
): Promise<ListPage<SendingDomain>> {
  const query = db('sending_domains').select(domainColumns).where({ workspace_id: workspaceId, deleted_at: null });
  if (ids !== null) query.whereIn('id', [...ids]);
  const toItem = (domain: SendingDomain) => domain;
  return listSizedPage(db, query, pagination, { bytes: 'octet_length(findings::text)', toItem });
}

export async function findDomain(db: Knex, workspaceId: string, id: string): Promise<SendingDomain | null> {
  const row = await db('sending_domains')
    .select(domainColumns)
    .where({ workspace_id: workspaceId, id, deleted_at: null })
    .first();
  return row ?? null;
}

/** Finds a domain of any workspace. Only for the operator. */
export async function findAnyDomain(db: Knex, id: string): Promise<SendingDomain | null> {
  const row = await db('sending_domains').select(domainColumns).where({ id, deleted_at: null }).first();
  return row ?? null;
}

/**
 * Claims domains that are due for a check. No other process gets them until `claimedUntil`, so that processes share the
 * work. If a process stops, its domains are claimed again after that time.
 */
export async function claimDueDomains(
  db: Knex,
  { now, limit, claimedUntil }: { now: Date; limit: number; claimedUntil: Date },
): Promise<SendingDomain[]> {
  const due = db('sending_domains')
    .select('id')
    .where('next_check_at', '<=', now)
    .orderBy('next_check_at')
    .limit(limit)
    .forNoKeyUpdate()
    .skipLocked();
  return db('sending_domains').whereIn('id', due).update({ next_check_at: claimedUntil }).returning(domainColumns);
}

type LockedDomain = { readonly domain: SendingDomain; readonly verification: Verification };

/**
 * Keeps other transactions from changing the domain. Emails from it are still accepted and sent.
 * @returns null when it is deleted
 */
export async function lockDomain(trx: Knex, id: string): Promise<LockedDomain | null> {
  const row = await trx('sending_domains')
    .select(domainColumns)
    .select(listColumns('sending_domains', 'statusSince verifiedByOperator failingSince'))
    .where({ id, deleted_at: null })
    .forNoKeyUpdate()
    .first();
  if (!row) return null;
  const { statusSince, verifiedByOperator, failingSince, ...domain } = row;
  const { status, verifiedAt } = domain;
  return { domain, verification: { status, verifiedAt, statusSince, verifiedByOperator, failingSince } };
}

type DomainUpdate = Partial<Verification & Pick<SendingDomain, 'checkedAt' | 'trackOpens' | 'trackClicks'>> & {
  readonly findings?: Findings;
  readonly nextCheckAt?: Date | null;
};

/** @throws the unique violation from Postgres when another workspace has verified the name */
export async function updateDomainRow(
  trx: Knex,
  id: string,
  { findings, ...update }: DomainUpdate,
): Promise<SendingDomain> {
  const row = toColumns({ ...update, ...(findings && { findings: JSON.stringify(findings) }) });
  const [updated] = await trx('sending_domains').where({ id }).update(row).returning(domainColumns);
  return updated;
}

/**
 * Marks the domain as deleted and withdrawn, but keeps the row, because emails refer to it. Waiting emails from the
 * domain will fail, and another workspace can verify the name.
 */
export async function markDeleted(trx: Knex, workspaceId: string, id: string, now: Date): Promise<void> {
  await trx('sending_domains')
    .where({ workspace_id: workspaceId, id, deleted_at: null })
    .update({ deleted_at: now, status: 'withdrawn', status_since: now, next_check_at: null });
}

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

/**
 * Whether a domain has this tracking host, or had it when it was deleted. The links in emails that were sent still lead
 * to it.
 */
export async function hasTrackingHost(db: Knex, domain: string): Promise<boolean> {
  const row = await db('sending_domains').where({ name: domain, has_tracking_host: true }).first('id');
  return row !== undefined;
}

/** Whether a workspace may send from this domain. */
export async function hasVerifiedDomain(db: Knex, domain: string): Promise<boolean> {
  const row = await db('sending_domains').where({ name: domain, status: 'verified' }).first('id');
  return row !== undefined;
}
