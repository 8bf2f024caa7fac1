import type { FeedbackKind } from '@posthorn/contract';
import type { SealedSecret } from '@posthorn/platform/secrets';
import type { Knex } from 'knex';
import { FEEDBACK_DAYS_AFTER_REMOVAL } from './relay-store.js';

/** A relay whose provider posts events to us. */
export type FeedbackRelay = {
  readonly id: string;
  readonly name: string;
  readonly feedback: FeedbackKind;
  /** The only SNS topic that is believed; null until the first one was confirmed. */
  readonly topic: string | null;
  /** The MessageId of the message that pinned it. */
  readonly confirmation: string | null;
  /** The current secret, and replaced ones that have not ended. Each was sealed for its own id. */
  readonly secrets: ReadonlyArray<{ readonly id: string; readonly sealed: SealedSecret }>;
};

/** @returns null if no relay has this token, its feedback is off, or it was removed too long ago */
export async function findFeedbackRelay(db: Knex, token: string, now: Date): Promise<FeedbackRelay | null> {
  const [relay] = await db('relays')
    .select('id', 'name', 'feedback', 'feedback_topic as topic', 'feedback_confirmation as confirmation')
    .where({ feedback_token: token })
    .whereNotNull('feedback')
    .whereRaw("(removed_at is null or removed_at > ?::timestamptz - ? * interval '1 day')", [
      now,
      FEEDBACK_DAYS_AFTER_REMOVAL,
    ]);
  if (relay === undefined) return null;
  const rows: Array<{ id: string; secret: Buffer; secret_key_id: string }> = await db('relay_secrets')
    .select('id', 'secret', 'secret_key_id')
    .where({ relay_id: relay.id })
    .where((valid) => valid.whereNull('expires_at').orWhere('expires_at', '>', now));
  return {
    ...relay,
    secrets: rows.map(({ id, secret, secret_key_id: secretKeyId }) => ({ id, sealed: { bytes: secret, secretKeyId } })),
  };
}

/** @returns whether it is the relay's topic now. If another one was pinned in the meantime, it is not */
export async function pinTopic(
  db: Knex,
  relayId: string,
  { topic, confirmation }: { readonly topic: string; readonly confirmation: string },
): Promise<boolean> {
  const changed = await db('relays')
    .where({ id: relayId })
    .where((either) => either.whereNull('feedback_topic').orWhere({ feedback_topic: topic }))
    .update({ feedback_topic: topic, feedback_confirmation: confirmation });
  return changed > 0;
}

/** What was heard from a relay's provider, for the operator. */
export type FeedbackState = {
  readonly lastEventAt: Date | null;
  readonly lastRefusedAt: Date | null;
  /** Why, in a sentence. */
  readonly lastRefusal: string | null;
};

export async function recordFeedbackEvent(db: Knex, relayId: string, at: Date): Promise<void> {
  await db('relays').where({ id: relayId }).update({ feedback_event_at: at });
}

export async function recordFeedbackRefusal(db: Knex, relayId: string, at: Date, why: string): Promise<void> {
  await db('relays').where({ id: relayId }).update({ feedback_refused_at: at, feedback_refusal: why });
}

export async function readFeedbackState(db: Knex, relayId: string): Promise<FeedbackState> {
  const row = await db('relays')
    .select('feedback_event_at as lastEventAt', 'feedback_refused_at as lastRefusedAt')
    .select('feedback_refusal as lastRefusal')
    .where({ id: relayId })
    .first();
  return row ?? { lastEventAt: null, lastRefusedAt: null, lastRefusal: null };
}

/** How many recipients are looked at, so that the answer costs the same however much mail there is. */
const MAX_RECIPIENTS_READ = 100_000;

/** Whether the relay took a recipient of an email that was accepted between these two ids. */
export async function hasSentBetween(db: Knex, relayId: string, fromId: string, toId: string): Promise<boolean> {
  const { rows } = await db.raw(
    `select exists (
       select from (
         select relay_id from email_recipients where email_id >= ? and email_id < ? order by email_id desc limit ?
       ) as recent where relay_id = ?
     ) as found`,
    [fromId, toId, MAX_RECIPIENTS_READ, relayId],
  );
  return rows[0].found;
}
