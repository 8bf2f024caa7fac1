import type { SealedSecret } from '@posthorn/platform/secrets';
import type { Knex } from 'knex';

/** What is stored encrypted with SECRET_KEY. */
export const secretKinds = ['dkim_key', 'webhook_secret', 'relay_url', 'relay_secret', 'erasure'] as const;

export type SecretKind = (typeof secretKinds)[number];

/** The tables and columns of the secrets. The id of the row is the owner that each secret was sealed for. */
const PLACES: Record<SecretKind, { readonly table: string; readonly column: string }> = {
  dkim_key: { table: 'domain_keys', column: 'private_key' },
  webhook_secret: { table: 'webhook_secrets', column: 'secret' },
  relay_url: { table: 'relays', column: 'url' },
  relay_secret: { table: 'relay_secrets', column: 'secret' },
  erasure: { table: 'erasures', column: 'address' },
};

export type StoredSecret = { readonly id: string; readonly sealed: SealedSecret };

/** The next secrets after the row with the id `after`, in the order of their ids. Retired DKIM keys have none. */
export async function listStoredSecrets(
  db: Knex,
  kind: SecretKind,
  { after, limit }: { after: string; limit: number },
): Promise<StoredSecret[]> {
  return (await selectSecrets(db, kind).where('id', '>', after).limit(limit)).map(toStoredSecret);
}

/** Locks those of the secrets that still exist and are not encrypted with the SECRET_KEY with the id `secretKeyId`. */
export async function lockOlderSecrets(
  trx: Knex,
  kind: SecretKind,
  { ids, secretKeyId }: { ids: readonly string[]; secretKeyId: string },
): Promise<StoredSecret[]> {
  const rows: SecretRow[] = await selectSecrets(trx, kind)
    .whereIn('id', [...ids])
    .whereNot('secret_key_id', secretKeyId)
    .forNoKeyUpdate();
  return rows.map(toStoredSecret);
}

type SecretRow = { id: string; bytes: Buffer; secret_key_id: string };

function selectSecrets(db: Knex, kind: SecretKind): Knex.QueryBuilder {
  const { table, column } = PLACES[kind];
  return db(table).select('id', 'secret_key_id', `${column} as bytes`).whereNotNull(column).orderBy('id');
}

function toStoredSecret({ id, bytes, secret_key_id: secretKeyId }: SecretRow): StoredSecret {
  return { id, sealed: { bytes, secretKeyId } };
}

/** Replaces secrets that `lockOlderSecrets` has locked. */
export async function replaceSecrets(trx: Knex, kind: SecretKind, secrets: readonly StoredSecret[]): Promise<void> {
  const { table, column } = PLACES[kind];
  const rows = secrets.map(({ id, sealed }) => ({ id, key: sealed.secretKeyId, secret: sealed.bytes.toString('hex') }));
  await trx.raw(
    `update ?? set ?? = decode(new.secret, 'hex'), secret_key_id = new.key
     from json_to_recordset(?::json) as new (id uuid, key text, secret text)
     where ??.id = new.id`,
    [table, column, JSON.stringify(rows), table],
  );
}
