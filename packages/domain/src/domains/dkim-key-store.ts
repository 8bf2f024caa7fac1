import type { KeyState } from '@posthorn/contract';
import { listColumns } from '@posthorn/platform/postgres';
import type { SealedSecret } from '@posthorn/platform/secrets';
import type { Knex } from 'knex';

/** The public half of a DKIM key (RFC 6376). */
export type DomainKey = {
  readonly id: string;
  /** Null for the platform domain. */
  readonly domainId: string | null;
  readonly selector: string;
  readonly state: KeyState;
  /** SubjectPublicKeyInfo in base64. */
  readonly publicKey: string;
  readonly createdAt: Date;
  readonly retiredAt: Date | null;
};

export type NewDomainKey = DomainKey & { readonly privateKey: SealedSecret };

const columns = listColumns('domain_keys', 'id domainId selector state publicKey createdAt retiredAt');

/** An active key. `domainName` is the name that it signs for; null for the platform domain. */
export type StoredSigningKey = DomainKey & { readonly privateKey: SealedSecret; readonly domainName: string | null };

/** @returns false when the domain already has a key in that state, or is deleted */
export async function insertKey(db: Knex, key: NewDomainKey): Promise<boolean> {
  const { id, domainId, selector, state, publicKey, privateKey, createdAt } = key;
  const { rows } = await db.raw(
    `insert into domain_keys
       (id, domain_id, selector, state, public_key, private_key, secret_key_id, created_at)
     select :id, :domain, :selector, :state, :public, :private, :secret, :created
     where :domain::uuid is null
       or exists (select from sending_domains where id = :domain and deleted_at is null for key share)
     on conflict do nothing
     returning id`,
    {
      id,
      domain: domainId,
      selector,
      state,
      public: publicKey,
      private: privateKey.bytes,
      secret: privateKey.secretKeyId,
      created: createdAt,
    },
  );
  return rows.length > 0;
}

/** @param domainId null for the platform domain */
export async function findActiveKey(db: Knex, domainId: string | null): Promise<StoredSigningKey | null> {
  const row = await db('domain_keys')
    .leftJoin('sending_domains', 'sending_domains.id', 'domain_keys.domain_id')
    .select(columns)
    .select('private_key as bytes', 'secret_key_id as secretKeyId', 'name as domainName')
    .where({ domain_id: domainId, state: 'active' })
    .first();
  if (!row) return null;
  const { bytes, secretKeyId, ...key } = row;
  return { ...key, privateKey: { secretKeyId, bytes } };
}

/** Keys whose records must be in DNS: those in use and those retired after `retiredAfter`, the active one first. */
export async function listDomainKeys(db: Knex, domainIds: readonly string[], retiredAfter: Date): Promise<DomainKey[]> {
  return db('domain_keys')
    .select(columns)
    .whereIn('domain_id', [...domainIds])
    .where((key) => key.whereNull('retired_at').orWhere('retired_at', '>', retiredAfter))
    .orderBy('state')
    .orderBy('id', 'desc');
}

/** The encrypted halves of keys that are not retired, newest first. */
export async function listStoredKeys(
  db: Knex,
  limit: number,
): Promise<Array<{ readonly id: string; readonly privateKey: SealedSecret }>> {
  const rows = await db('domain_keys')
    .select({ id: 'id', bytes: 'private_key', secretKeyId: 'secret_key_id' })
    .whereNotNull('private_key')
    .orderBy('id', 'desc')
    .limit(limit);
  return rows.map(({ id, ...privateKey }) => ({ id, privateKey }));
}

/** Makes the pending key active and deletes the private half of the previous one. */
export async function promotePendingKey(trx: Knex, domainId: string, now: Date): Promise<void> {
  await trx('domain_keys')
    .where({ domain_id: domainId, state: 'active' })
    .update({ state: 'retired', retired_at: now, private_key: null, secret_key_id: null });
  await trx('domain_keys').where({ domain_id: domainId, state: 'pending' }).update({ state: 'active' });
}

export async function deleteKeysRetiredBefore(trx: Knex, domainId: string, time: Date): Promise<void> {
  await trx('domain_keys').where({ domain_id: domainId }).where('retired_at', '<=', time).delete();
}

export async function deleteKeys(trx: Knex, domainId: string): Promise<void> {
  await trx('domain_keys').where({ domain_id: domainId }).delete();
}
