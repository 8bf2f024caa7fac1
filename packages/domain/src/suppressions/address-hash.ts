import { createHmac } from 'node:crypto';
import { toAddressKey } from '@posthorn/domain/format';
import type { Config } from '@posthorn/platform/config';
import { type AllSecrets, deriveToken, deriveTokens } from '@posthorn/platform/secrets';

const KEY_BYTES = 32;
const PURPOSE = 'hash of an address';
const SHOWN_CHARACTERS = 12;

/**
 * Identifies an address within a workspace. Without SECRET_KEY, nobody can find out which address it is, not even by
 * trying many. A list that must remember an erased address, such as the suppressions, stores this.
 */
export type HashAddress = (workspaceId: string, address: string) => Buffer;

export function createAddressHasher(config: Pick<Config, 'secretKey'>): HashAddress {
  return toHasher(deriveToken(config, PURPOSE, KEY_BYTES));
}

/**
 * Computes the hashes that were stored while earlier values of SECRET_KEY were in use, too. The first one is for the
 * current value.
 * @throws Error when SECRET_KEY is missing
 */
export function createAddressHashers(config: AllSecrets): HashAddress[] {
  return deriveTokens(config, PURPOSE, KEY_BYTES).map(toHasher);
}

function toHasher(key: Buffer): HashAddress {
  return (workspaceId, address) =>
    createHmac('sha256', key)
      .update(`${workspaceId}\n${toAddressKey(address)}`)
      .digest();
}

/** The beginning of the hash, for people. */
export function toShortAddressHash(config: Pick<Config, 'secretKey'>, workspaceId: string, address: string): string {
  return createAddressHasher(config)(workspaceId, address).toString('hex').slice(0, SHOWN_CHARACTERS);
}

/**
 * An address of a workspace, in lower case, and the hash that it has in suppressions after it was erased. It is sought
 * once for each SECRET_KEY with which it may have been hashed.
 */
export type SoughtAddress = { readonly workspaceId: string; readonly address: string; readonly hash: Buffer };

/** The addresses as suppressions may have them: in lower case, or hashed with each SECRET_KEY. */
export function toSoughtAddresses(
  hashers: readonly HashAddress[],
  workspaceId: string,
  addresses: readonly string[],
): SoughtAddress[] {
  return addresses.flatMap((address) =>
    hashers.map((hash) => ({ workspaceId, address: toAddressKey(address), hash: hash(workspaceId, address) })),
  );
}
