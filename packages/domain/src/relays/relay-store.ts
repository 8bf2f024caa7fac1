import type { FeedbackKind } from '@posthorn/contract';
import { toColumns } from '@posthorn/platform/postgres';
import type { SealedSecret } from '@posthorn/platform/secrets';
import type { Knex } from 'knex';
import type { Relay, RelayOptions } from './relay.js';

/** How long the events of a removed relay are taken, in days. */
export const FEEDBACK_DAYS_AFTER_REMOVAL = 30;

type Row = {
  id: string;
  name: string;
  url: Buffer | null;
  secret_key_id: string | null;
  address: string;
  connections: number | null;
  rate_recipients: number | null;
  rate_seconds: number | null;
  warm_up: number[] | null;
  feedback: FeedbackKind | null;
  feedback_token: string;
  rewrites_ids: boolean | null;
  source_ipv4: string | null;
  source_ipv6: string | null;
  ehlo: string | null;
  trouble_at: Date | null;
  trouble: string | null;
  paused_at: Date | null;
  created_at: Date;
};

/** A relay with its URL, which may contain credentials. */
export type SealedRelay = Relay & {
  /** null for a server of SMTP_URL. */
  readonly sealedUrl: SealedSecret | null;
};

/** Those that were not removed, in the order of their names. */
export async function readRelays(db: Knex): Promise<SealedRelay[]> {
  const rows: Row[] = await db('relays').whereNull('removed_at').orderBy('name');
  return rows.map(toRelay);
}

/** `host:port` of every relay, also of those that were removed and may still report bounces. */
export async function listRelayAddresses(db: Knex): Promise<string[]> {
  return db('relays').pluck('address');
}

/** @returns null if there is no such relay */
export async function findRelayByName(db: Knex, name: string): Promise<SealedRelay | null> {
  const row: Row | undefined = await db('relays').where({ name }).whereNull('removed_at').first();
  return row ? toRelay(row) : null;
}

function toRelay(row: Row): SealedRelay {
  const { url, secret_key_id: secretKeyId, rate_recipients: recipients, rate_seconds: seconds } = row;
  return {
    id: row.id,
    name: row.name,
    address: row.address,
    connections: row.connections,
    rate: recipients === null || seconds === null ? null : { recipients, seconds },
    warmUp: row.warm_up,
    feedback: row.feedback,
    rewritesIds: row.rewrites_ids,
    source: { ipv4: row.source_ipv4, ipv6: row.source_ipv6 },
    ehlo: row.ehlo,
    isPaused: row.paused_at !== null,
    feedbackToken: row.feedback_token,
    createdAt: row.created_at,
    trouble: row.trouble_at && { at: row.trouble_at, why: row.trouble ?? '' },
    sealedUrl: url === null || secretKeyId === null ? null : { bytes: url, secretKeyId },
  };
}

/** What is written of a relay, and what is not changed is left out. */
export type RelayFields = Partial<RelayOptions> & {
  readonly address?: string;
  readonly sealedUrl?: SealedSecret;
  readonly pausedAt?: Date | null;
  readonly removedAt?: Date;
  readonly feedbackTopic?: null;
};

export async function insertRelay(
  trx: Knex,
  relay: RelayFields & Pick<Relay, 'id' | 'name' | 'address' | 'feedbackToken' | 'createdAt'>,
): Promise<void> {
  const { id, name, feedbackToken, createdAt } = relay;
  await trx('relays').insert({ ...toColumns({ id, name, feedbackToken, createdAt }), ...toRow(relay) });
}

export async function updateRelayRow(trx: Knex, id: string, fields: RelayFields): Promise<void> {
  const row = toRow(fields);
  if (Object.keys(row).length > 0) await trx('relays').where({ id }).update(row);
}

function toRow({ rate, source, sealedUrl, ...fields }: RelayFields): Record<string, unknown> {
  const { address, connections, warmUp, feedback, rewritesIds, ehlo, pausedAt, removedAt, feedbackTopic } = fields;
  const row = {
    ...{ address, connections, warmUp, feedback, rewritesIds, ehlo, pausedAt, removedAt, feedbackTopic },
    ...(rate !== undefined && { rateRecipients: rate?.recipients ?? null, rateSeconds: rate?.seconds ?? null }),
    ...(source !== undefined && { sourceIpv4: source.ipv4, sourceIpv6: source.ipv6 }),
    ...(sealedUrl !== undefined && { url: sealedUrl.bytes, secretKeyId: sealedUrl.secretKeyId }),
    ...(feedbackTopic === null && { feedbackConfirmation: null }),
  };
  return toColumns(Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)));
}

/** Makes it the current secret. The one before stays valid until `expiresAt`. */
export async function replaceFeedbackSecret(
  trx: Knex,
  relayId: string,
  { id, sealed, now, expiresAt }: { id: string; sealed: SealedSecret; now: Date; expiresAt: Date },
): Promise<void> {
  await retireFeedbackSecrets(trx, relayId, { now, expiresAt });
  const { bytes: secret, secretKeyId } = sealed;
  await trx('relay_secrets').insert(toColumns({ id, relayId, secret, secretKeyId, createdAt: now }));
}

/** Lets all secrets but the current one end at once. */
export async function endOldFeedbackSecrets(trx: Knex, relayId: string): Promise<void> {
  await trx('relay_secrets').where({ relay_id: relayId }).whereNotNull('expires_at').delete();
}

async function retireFeedbackSecrets(
  trx: Knex,
  relayId: string,
  { now, expiresAt }: { now: Date; expiresAt: Date },
): Promise<void> {
  await trx('relay_secrets').where({ relay_id: relayId }).where('expires_at', '<=', now).delete();
  await trx('relay_secrets').where({ relay_id: relayId }).whereNull('expires_at').update({ expires_at: expiresAt });
}

export async function hasFeedbackSecret(db: Knex, relayId: string): Promise<boolean> {
  const row = await db('relay_secrets').where({ relay_id: relayId }).whereNull('expires_at').first('id');
  return row !== undefined;
}

/** Deletes the relays that were removed so long ago that no events of theirs are taken any more. */
export async function deleteRemovedRelays(db: Knex, now: Date): Promise<void> {
  await db('relays')
    .where('removed_at', '<', db.raw("?::timestamptz - ? * interval '1 day'", [now, FEEDBACK_DAYS_AFTER_REMOVAL]))
    .delete();
}

/** Notes that the relay has refused us or failed, so that every command can tell. It is no change of routing. */
export async function noteRelayTrouble(db: Knex, id: string, why: string): Promise<void> {
  await db('relays').where({ id }).update({ trouble_at: db.fn.now(), trouble: why });
}
