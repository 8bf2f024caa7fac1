import { createHash, createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Config } from '@posthorn/platform/config';
import { type AllSecrets, deriveToken, deriveTokens } from './sealed-secret.js';

const BYTES = 32;

/** 256 random bits for a cookie or a link, in base64url because that needs no escaping in either. */
export function createToken(): string {
  return randomBytes(BYTES).toString('base64url');
}

/** Only this hash of a token is stored. A random secret of this length needs no slow hash. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

const KEY_BYTES = 32;

/** 96 bits cannot be guessed (RFC 2104, 5 asks for 80), and every byte makes an address or a link longer. */
export const SIGNATURE_BYTES = 12;

/** By configuration and purpose. Deriving a key takes longer than signing with it. */
const signers = new WeakMap<Pick<Config, 'secretKey'>, Map<string, Sign>>();

/** Signs what others will show us again, such as a return path (HMAC-SHA-256 with a key of its own per purpose). */
export function getSigner(config: Pick<Config, 'secretKey'>, purpose: string): Sign {
  const known = signers.get(config) ?? new Map<string, Sign>();
  signers.set(config, known);
  const sign = known.get(purpose) ?? signWith(deriveToken(config, purpose, KEY_BYTES));
  known.set(purpose, sign);
  return sign;
}

/** `getSigner` for the current SECRET_KEY and for the earlier ones, in this order. */
export function createSigners(config: AllSecrets, purpose: string): Sign[] {
  return deriveTokens(config, purpose, KEY_BYTES).map(signWith);
}

/** @returns a function that says whether `getSigner` made the signature, with the current SECRET_KEY or an earlier one */
export function createSignatureChecker(
  config: AllSecrets,
  purpose: string,
): (payload: Buffer, signature: Buffer) => boolean {
  const signers = createSigners(config, purpose);
  return (payload, signature) => signers.some((sign) => timingSafeEqual(signature, sign(payload)));
}

type Sign = (payload: Buffer) => Buffer;

function signWith(key: Buffer): Sign {
  return (payload) => createHmac('sha256', key).update(payload).digest().subarray(0, SIGNATURE_BYTES);
}
