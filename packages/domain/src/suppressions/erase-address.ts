import type { Knex } from 'knex';
import { addressKey } from '../addresses/address.js';
import type { Config } from '../config/config.js';
import { addressHasher } from '../secrets/address-hash.js';

/** The address stays suppressed, but only its hash is kept. */
export async function eraseSuppressedAddress(
  trx: Knex,
  config: Pick<Config, 'secretKey'>,
  { workspaceId, address }: { workspaceId: string; address: string },
): Promise<void> {
  const row = { workspace_id: workspaceId, address: addressKey(address) };
  const hash = addressHasher(config)(workspaceId, address);
  await trx('suppressions').where(row).update({ address: null, address_hash: hash, detail: null });
  await trx('soft_bounces').where(row).delete();
}
