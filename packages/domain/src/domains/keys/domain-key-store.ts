import type { KeyState } from '@posthorn/contract';
import type { SealedSecret } from '@posthorn/platform/secrets';
import type { Knex } from 'knex';
import type { DomainKey, NewDomainKey } from './domain-key.js';

const columns = ['id', 'domain_id', 'selector', 'state', 'public_key', 'created_at', 'retired_at'];

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
    .select(columns.map((column) => `domain_keys.${column}`))
    .select('private_key', 'secret_key_id', 'name')
    .where({ domain_id: domainId, state: 'active' })
    .first();
  return row
    ? {
        ...toKey(row),
        privateKey: { secretKeyId: row.secret_key_id, bytes: row.private_key },
        domainName: row.name,
      }
    : null;
}

/** Keys whose records must be in DNS: those in use and those retired after `retiredAfter`, the active one first. */
export async function listDomainKeys(db: Knex, domainIds: readonly string[], retiredAfter: Date): Promise<DomainKey[]> {
  const rows = await db('domain_keys')
    .select(columns)
    .whereIn('domain_id', [...domainIds])
    .where((key) => key.whereNull('retired_at').orWhere('retired_at', '>', retiredAfter))
    .orderBy('state')
    .orderBy('id', 'desc');
  return rows.map(toKey);
}

/** The encrypted halves of keys that are not retired, newest first. */
export async function listStoredKeys(
  db: Knex,
  limit: number,
): Promise<Array<{ readonly id: string; readonly privateKey: SealedSecret }>> {
  const rows = await db('domain_keys')
    .select('id', 'private_key', 'secret_key_id')
    .whereNotNull('private_key')
    .orderBy('id', 'desc')
    .limit(limit);
  return rows.map((row) => ({
    id: row.id,
    privateKey: { secretKeyId: row.secret_key_id, bytes: row.private_key },
  }));
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

type KeyRow = {
  id: string;
  domain_id: string | null;
  selector: string;
  state: KeyState;
  public_key: string;
  created_at: Date;
  retired_at: Date | null;
};

function toKey(row: KeyRow): DomainKey {
  return {
    id: row.id,
    domainId: row.domain_id,
    selector: row.selector,
    state: row.state,
    publicKey: row.public_key,
    createdAt: row.created_at,
    retiredAt: row.retired_at,
  };
}
