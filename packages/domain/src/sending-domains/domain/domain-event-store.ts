import type { Knex } from 'knex';
import { newId } from '../../ids.js';
import type { SendingDomain } from './sending-domain.js';

export type DomainEventType = 'verified' | 'withdrawn' | 'key_rotated';

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

/** Oldest first. */
export async function listDomainEvents(db: Knex, domainId: string): Promise<DomainEvent[]> {
  const rows = await db('domain_events')
    .select('type', 'detail', 'created_at')
    .where({ domain_id: domainId })
    .orderBy('id');
  return rows.map(({ type, detail, created_at }) => ({ type, detail, createdAt: created_at }));
}
