import type { Knex } from 'knex';
import type { HitHistory, NewHitEvent } from './hit.js';

/** Reads what is known about emails, by their ids. The emails must be locked. */
export async function readHitHistory(trx: Knex, ids: readonly string[]): Promise<Map<string, HitHistory>> {
  const sent = await trx.raw(
    `select stream_id, coalesce(
       max(created_at) filter (where type = 'email.sent'), min(created_at) filter (where type = 'email.delivered')
     ) as sent_at
     from events where stream_id = any(?::uuid[]) and type in ('email.sent', 'email.delivered') group by stream_id`,
    [[...ids]],
  );
  const hits = await trx.raw(
    `select stream_id, type, recipient, data ->> 'url' as url, (data ->> 'machine')::boolean as machine,
       max(created_at) as "lastAt", count(*)::int as count
     from events where stream_id = any(?::uuid[]) and type in ('email.opened', 'email.clicked')
     group by 1, 2, 3, 4, 5`,
    [[...ids]],
  );
  return new Map(
    ids.map((id) => [
      id,
      {
        sentAt: sent.rows.find((row: { stream_id: string }) => row.stream_id === id)?.sent_at ?? null,
        hits: hits.rows.filter((row: { stream_id: string }) => row.stream_id === id),
      },
    ]),
  );
}

/** Writes the events. The emails must be locked, so that no other process writes events with these sequences. */
export async function insertHitEvents(trx: Knex, events: readonly NewHitEvent[]): Promise<void> {
  await trx.raw(INSERT, [JSON.stringify(events.map(toRow))]);
}

const INSERT = `
  with hit as materialized (
    select * from json_to_recordset(?::json) as hit (
      id uuid, email_id uuid, workspace_id uuid, sequence int, type text, recipient text, detail text, data jsonb,
      created_at timestamptz
    )
  ),
  waiting as (
    update deliveries set last_sequence = latest.sequence
    from (select email_id, max(sequence) as sequence from hit group by email_id) as latest
    where deliveries.email_id = latest.email_id
  )
  insert into events (id, stream_id, sequence, workspace_id, type, recipient, detail, data, created_at)
  select id, email_id, sequence, workspace_id, type, recipient, detail, data, created_at from hit`;

function toRow({ emailId, workspaceId, at, ...event }: NewHitEvent): object {
  return { ...event, email_id: emailId, workspace_id: workspaceId, created_at: at };
}
