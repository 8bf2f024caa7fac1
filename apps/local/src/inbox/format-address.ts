import type { NamedAddress } from './parse-message.js';

/** `Ada Lovelace <ada@example.com>`, for display only: the name is not quoted as in a header. */
export function formatAddress({ name, address }: NamedAddress): string {
  if (!name) return address;
  return address ? `${name} <${address}>` : name;
}
