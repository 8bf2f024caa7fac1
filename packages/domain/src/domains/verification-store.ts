import type { DomainEventType } from '@posthorn/contract';
import { insertStandaloneEvent } from '@posthorn/domain/events';
import { listColumns, toColumns } from '@posthorn/platform/postgres';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import { domainColumns } from './domain-store.js';
import type { Findings, SendingDomain, Verification } from './sending-domain.js';

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

export type DomainEvent = { readonly type: DomainEventType; readonly detail: string | null; readonly createdAt: Date };

export async function insertDomainEvent(
  trx: Knex,
  { id: domainId, workspaceId, name }: Pick<SendingDomain, 'id' | 'workspaceId' | 'name'>,
  { type, detail, createdAt }: DomainEvent,
): Promise<void> {
  const data = { domain_id: domainId, name };
  await insertStandaloneEvent(trx, { id: newId(), workspaceId, type: `domain.${type}`, detail, data, createdAt });
}

/** Oldest first. The first condition lets Postgres use the index on the events of domains. */
export async function listDomainEvents(db: Knex, domainId: string): Promise<DomainEvent[]> {
  const rows = await db('events')
    .select('type', 'detail', 'created_at as createdAt')
    .whereRaw("type like 'domain.%' and data ->> 'domain_id' = ?", [domainId])
    .orderBy(['created_at', 'id']);
  return rows.map(({ type, ...event }) => ({ ...event, type: type.slice('domain.'.length) }));
}
