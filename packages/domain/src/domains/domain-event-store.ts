import type { DomainEventType } from '@posthorn/contract';
import { insertStandaloneEvent } from '@posthorn/domain/events';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import type { SendingDomain } from './sending-domain.js';

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
