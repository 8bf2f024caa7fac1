import { createHash, randomBytes } from 'node:crypto';

const BYTES = 32;

/** 256 random bits for a cookie or a link, in base64url because that needs no escaping in either. */
export function newToken(): string {
  return randomBytes(BYTES).toString('base64url');
}

/** Only this hash of a token is stored. A random secret of this length needs no slow hash. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
