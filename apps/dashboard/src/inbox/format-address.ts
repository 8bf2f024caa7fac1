import type { InboxAddress } from './queries';

/** `Ada Lovelace <ada@example.com>`, for display only: the name is not quoted as in a header. */
export function formatAddress({ Name, Address }: InboxAddress): string {
  if (!Name) return Address;
  return Address ? `${Name} <${Address}>` : Name;
}
