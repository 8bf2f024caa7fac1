import type { Person } from './parse-message.js';

/** `Ada Lovelace <ada@example.com>`, for reading: nothing is quoted as a header would want it. */
export function formatAddress({ name, address }: Person): string {
  if (!name) return address;
  return address ? `${name} <${address}>` : name;
}
