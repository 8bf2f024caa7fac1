import { randomBytes } from 'node:crypto';

/** An address that no other test uses, because an account belongs to an address and not to a workspace. */
export function newAddress(name: string): string {
  return `${name}-${randomBytes(6).toString('hex')}@example.com`;
}
