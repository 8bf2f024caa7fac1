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

/** A locked domain with its verification status. */
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

/** @throws the unique violation from Postgres when another workspace has verified the name */
export async function writeVerification(
  trx: Knex,
  id: string,
  { status, verifiedAt, statusSince, verifiedByOperator, failingSince }: Verification,
): Promise<SendingDomain> {
  const [row] = await trx('sending_domains')
    .where({ id })
    .update(toColumns({ status, verifiedAt, statusSince, verifiedByOperator, failingSince }))
    .returning(domainColumns);
  return row;
}

export async function writeFindings(
  trx: Knex,
  id: string,
  { findings, checkedAt }: { findings: Findings; checkedAt: Date | null },
): Promise<void> {
  await trx('sending_domains')
    .where({ id })
    .update({ findings: JSON.stringify(findings), checked_at: checkedAt });
}

export async function writeNextCheck(trx: Knex, id: string, nextCheckAt: Date | null): Promise<void> {
  await trx('sending_domains').where({ id }).update({ next_check_at: nextCheckAt });
}

/** Changes what emails from the domain report that are accepted from now on. */
export async function writeTracking(
  trx: Knex,
  id: string,
  { trackOpens, trackClicks }: Pick<SendingDomain, 'trackOpens' | 'trackClicks'>,
): Promise<SendingDomain> {
  const [row] = await trx('sending_domains')
    .where({ id })
    .update({ track_opens: trackOpens, track_clicks: trackClicks })
    .returning(domainColumns);
  return row;
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
