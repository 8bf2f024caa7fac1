import { createHash, randomBytes } from 'node:crypto';

const BYTES = 32;

/** 256 random bits for a cookie or a link; base64url, so that it needs no escaping in either. */
export function newToken(): string {
  return randomBytes(BYTES).toString('base64url');
}

/** All that is kept of a token: a random secret of this length needs no slow hash. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
