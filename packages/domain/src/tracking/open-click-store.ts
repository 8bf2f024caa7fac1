import type { TrackedPart } from '@posthorn/domain/links';
import type { Knex } from 'knex';

/** One request for the image of an email, or for one of its links. */
export type OpenOrClick = TrackedPart & {
  readonly at: Date;
  /** Whether the request looks automated. */
  readonly isMachine: boolean;
};

/** Two hits of the same kind are repetitions. A repetition is recorded only after a minimum time. */
export type OpenClickKind = {
  readonly type: 'email.opened' | 'email.clicked';
  readonly recipient: string | null;
  readonly url: string | null;
  readonly machine: boolean;
};

/** What the log says about an email so far. */
export type OpenClickHistory = {
  /** When the email was last handed to a mail server; null if that has not been recorded yet. */
  readonly sentAt: Date | null;
  readonly hits: ReadonlyArray<OpenClickKind & { readonly lastAt: Date; readonly count: number }>;
};

/** An event to add to the log. */
export type NewOpenClickEvent = Pick<OpenClickKind, 'type' | 'recipient'> & {
  readonly id: string;
  readonly emailId: string;
  readonly workspaceId: string;
  readonly sequence: number;
  /** What people read. */
  readonly detail: string | null;
  readonly data: { readonly machine: boolean; readonly url?: string };
  readonly at: Date;
};

/** Reads what is known about emails, by their ids. The emails must be locked. */
export async function readOpenClickHistory(trx: Knex, ids: readonly string[]): Promise<Map<string, OpenClickHistory>> {
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
export async function insertOpenClickEvents(trx: Knex, events: readonly NewOpenClickEvent[]): Promise<void> {
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

function toRow({ emailId, workspaceId, at, ...event }: NewOpenClickEvent): object {
  return { ...event, email_id: emailId, workspace_id: workspaceId, created_at: at };
}
