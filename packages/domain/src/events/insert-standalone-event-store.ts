import type { EventType } from '@posthorn/contract';
import type { Knex } from 'knex';

/** An event that does not belong to an email, so it is a stream of its own. */
export type StandaloneEvent = {
  readonly id: string;
  readonly workspaceId: string;
  readonly type: EventType;
  readonly detail: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
};

export async function insertStandaloneEvent(trx: Knex, event: StandaloneEvent): Promise<void> {
  await trx('events').insert({
    id: event.id,
    stream_id: event.id,
    sequence: 1,
    workspace_id: event.workspaceId,
    type: event.type,
    detail: event.detail,
    data: JSON.stringify(event.data),
    created_at: event.createdAt,
  });
}
