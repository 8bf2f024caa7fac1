import type { Knex } from 'knex';
import { newId } from '../../ids.js';
import type { DomainEventType } from '../checks/verification.js';
import { type DomainRow, domainColumns, toDomain } from './domain-row.js';
import type { Findings } from './finding.js';
import type { SendingDomain, Standing } from './sending-domain.js';

const standingColumns = ['status_since', 'vouched', 'failing_since'];

type StandingRow = DomainRow & { status_since: Date; vouched: boolean; failing_since: Date | null };

/** A domain, and how sure we are of it. */
export type StandingDomain = { readonly domain: SendingDomain; readonly standing: Standing };

/** Keeps others from changing the domain until the transaction ends, and nobody from sending. @returns null when it is deleted */
export async function lockDomain(trx: Knex, id: string): Promise<StandingDomain | null> {
  const row = await trx('sending_domains')
    .select([...domainColumns, ...standingColumns])
    .where({ id, deleted_at: null })
    .forNoKeyUpdate()
    .first();
  return row ? toStanding(row) : null;
}

/**
 * Names whose time has come. Until `heldUntil` nobody else gets them, so any number of processes share
 * the work, and what one of them drops is taken up again.
 */
export async function claimDueDomains(
  db: Knex,
  { now, most, heldUntil }: { now: Date; most: number; heldUntil: Date },
): Promise<SendingDomain[]> {
  const due = db('sending_domains')
    .select('id')
    .where('next_check_at', '<=', now)
    .orderBy('next_check_at')
    .limit(most)
    .forNoKeyUpdate()
    .skipLocked();
  const rows = await db('sending_domains')
    .whereIn('id', due)
    .update({ next_check_at: heldUntil })
    .returning(domainColumns);
  return rows.map(toDomain);
}

/** @throws the database's unique violation when it is to be verified, and another workspace has the name verified */
export async function writeStanding(
  trx: Knex,
  id: string,
  { status, verifiedAt, statusSince, vouched, failingSince }: Standing,
): Promise<SendingDomain> {
  const [row] = await trx('sending_domains')
    .where({ id })
    .update({ status, verified_at: verifiedAt, status_since: statusSince, vouched, failing_since: failingSince })
    .returning(domainColumns);
  return toDomain(row);
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

/** Something that happened to a domain. */
export type DomainEvent = { readonly type: DomainEventType; readonly detail: string | null; readonly createdAt: Date };

export async function insertDomainEvent(
  trx: Knex,
  { id, workspaceId }: Pick<SendingDomain, 'id' | 'workspaceId'>,
  { type, detail, createdAt }: DomainEvent,
): Promise<void> {
  await trx('domain_events').insert({
    id: newId(),
    workspace_id: workspaceId,
    domain_id: id,
    type,
    detail,
    created_at: createdAt,
  });
}

/** In the order in which they happened. */
export async function listDomainEvents(db: Knex, domainId: string): Promise<DomainEvent[]> {
  const rows = await db('domain_events')
    .select('type', 'detail', 'created_at')
    .where({ domain_id: domainId })
    .orderBy('id');
  return rows.map(({ type, detail, created_at }) => ({ type, detail, createdAt: created_at }));
}

function toStanding(row: StandingRow): StandingDomain {
  return {
    domain: toDomain(row),
    standing: {
      status: row.status,
      verifiedAt: row.verified_at,
      statusSince: row.status_since,
      vouched: row.vouched,
      failingSince: row.failing_since,
    },
  };
}
