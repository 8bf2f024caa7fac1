import { type Address, addressKey } from '../addresses/address.js';

type Recipients = {
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  readonly bcc: readonly Address[];
};

/** Keeps only the first occurrence of each address, in the order to, cc, bcc. */
export function dedupeRecipients({ to, cc, bcc }: Recipients): { to: Address[]; cc: Address[]; bcc: Address[] } {
  const seen = new Set<string>();
  const keep = (addresses: readonly Address[]) =>
    addresses.filter(({ address }) => {
      const key = addressKey(address);
      const isNew = !seen.has(key);
      seen.add(key);
      return isNew;
    });
  return { to: keep(to), cc: keep(cc), bcc: keep(bcc) };
}
