import { hash } from 'node:crypto';
import type { FeedbackKind } from '@posthorn/contract';
import { parseFeedbackKey } from '@posthorn/domain/emails';
import type { ProviderEvent } from '@posthorn/feedback/providers';
import { toStorableText } from '@posthorn/platform/postgres';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';

/** An event of a relay's provider, as it is stored until it has been processed. */
export type StoredEvent = Omit<ProviderEvent, 'occurredAt'> & {
  readonly feedback: FeedbackKind;
  readonly occurredAt: string | null;
};

/** The relay whose provider posted events. */
type Source = { readonly relayId: string; readonly feedback: FeedbackKind };

/** An email has at most 50 recipients. */
const MAX_ADDRESSES = 100;

/**
 * The rows of events, as JSON. Those that change nothing have none. The same event has the same digest whenever it is
 * sent again. Rows are in the order of their digests, so that two transactions with the same events cannot deadlock.
 */
export function buildEventRows({ relayId, feedback }: Source, events: readonly ProviderEvent[]): string {
  const rows = events
    .filter(({ kind }) => kind !== 'ignored')
    .map(({ addresses, ...event }) => {
      const about = event.key === null ? null : parseFeedbackKey(event.key);
      const raw = JSON.stringify({ feedback, ...event, addresses: addresses.slice(0, MAX_ADDRESSES) });
      const identity = JSON.stringify([relayId, event.key, event.providerId, event.messageId, event.eventId]);
      return {
        id: newId(),
        email_id: about?.emailId ?? null,
        positions: about && [about.position],
        raw: toStorableText(raw),
        digest: hash('sha256', identity),
      };
    });
  return JSON.stringify(rows.toSorted((one, two) => (one.digest < two.digest ? -1 : 1)));
}

/** A token that a request may use for one body only. */
export type RequestToken = { readonly token: string; readonly bodyDigest: Buffer; readonly expiresAt: Date };

/**
 * Stores the events of a request in one statement. Those that are stored already are left out. The turn of an event is that
 * of the workspace of its email or, if it does not say which email it is about, that of the relay.
 * @param rows as `buildEventRows` makes them
 * @returns whether they are stored. If not, the token was used with another body
 */
export async function insertEvents(
  db: Knex,
  relayId: string,
  rows: string,
  token: RequestToken | null,
): Promise<boolean> {
  const { rows: result } = await db.raw(
    `with token as (
       insert into feedback_tokens as known (relay_id, token, body_digest, expires_at)
       select cast(:relayId as uuid), cast(:token as text), cast(:bodyDigest as bytea), cast(:expiresAt as timestamptz)
       where cast(:token as text) is not null
       on conflict (relay_id, token) do update set expires_at = excluded.expires_at
       where known.body_digest = excluded.body_digest
       returning 1
     ),
     allowed as (select cast(:token as text) is null or exists (select from token) as allowed),
     stored as (
       insert into feedback_reports (id, email_id, positions, turn_id, relay_id, raw, size, digest)
       select event.id, event.email_id, event.positions,
         coalesce(
           (select workspace_id from email_recipients where email_recipients.email_id = event.email_id limit 1),
           cast(:relayId as uuid)
         ),
         cast(:relayId as uuid), convert_to(event.raw, 'UTF8'), octet_length(event.raw), decode(event.digest, 'hex')
       from allowed, json_to_recordset(cast(:rows as json)) as event (
         id uuid, email_id uuid, positions smallint[], raw text, digest text
       )
       where allowed
       on conflict (digest) do nothing
     )
     select allowed from allowed`,
    {
      relayId,
      rows,
      token: token?.token ?? null,
      bodyDigest: token?.bodyDigest ?? null,
      expiresAt: token?.expiresAt ?? null,
    },
  );
  return result[0].allowed;
}

/** Where the mail with an id of a provider is. */
export type ProviderMail = {
  readonly relayId: string;
  readonly providerId: string;
  readonly emailId: string;
  readonly positions: number[];
};

/** The recipients whose mail went by one of the relays and has one of the ids. */
export async function findByProviderIds(
  db: Knex,
  relayIds: readonly string[],
  providerIds: readonly string[],
): Promise<ProviderMail[]> {
  if (providerIds.length === 0) return [];
  const { rows } = await db.raw(
    `select relay_id as "relayId", provider_id as "providerId", email_id as "emailId",
       array_agg(position order by position) as positions
     from email_recipients where provider_id = any(?) and relay_id = any(?::uuid[])
     group by relay_id, provider_id, email_id`,
    [[...providerIds], [...relayIds]],
  );
  return rows;
}

/** The positions of the recipients of those emails that exist, by the id of the email. */
export async function findPositions(db: Knex, emailIds: readonly string[]): Promise<Map<string, number[]>> {
  if (emailIds.length === 0) return new Map();
  const { rows }: { rows: Array<{ id: string; positions: number[] }> } = await db.raw(
    `select email_id as id, array_agg(position order by position) as positions
     from email_recipients where email_id = any(?::uuid[]) group by email_id`,
    [[...emailIds]],
  );
  return new Map(rows.map(({ id, positions }) => [id, positions]));
}

/** How many events of the relay wait that were looked at before. Counting stops at `max`. */
export async function countEarlyEvents(db: Knex, relayId: string, max: number): Promise<number> {
  const { rows } = await db.raw(
    `select count(*)::int as waiting from (
       select from feedback_reports where turn_id = ? and due_at is not null and tries > 1 limit ?
     ) as counted`,
    [relayId, max],
  );
  return rows[0].waiting;
}

/** Forgets tokens whose signature has become too old by itself. @returns how many of at most `limit` */
export async function deleteExpiredTokens(db: Knex, limit: number): Promise<number> {
  const { rowCount } = await db.raw(
    `delete from feedback_tokens where (relay_id, token) in (
       select relay_id, token from feedback_tokens where expires_at <= now() limit ?
     )`,
    [limit],
  );
  return rowCount;
}
