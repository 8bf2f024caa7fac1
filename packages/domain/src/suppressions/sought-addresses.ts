import { addressKey } from '@posthorn/domain/format';
import type { HashAddress } from './address-hash.js';
import type { SoughtAddress } from './suppression-store.js';

/** The addresses as suppressions may have them: in lower case, or hashed with each SECRET_KEY. */
export function soughtAddresses(
  hashers: readonly HashAddress[],
  workspaceId: string,
  addresses: readonly string[],
): SoughtAddress[] {
  return addresses.flatMap((address) =>
    hashers.map((hash) => ({ workspaceId, address: addressKey(address), hash: hash(workspaceId, address) })),
  );
}
