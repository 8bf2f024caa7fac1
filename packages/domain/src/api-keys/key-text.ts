import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Mode } from '@posthorn/contract';
import { isId } from '@posthorn/platform/values';

/**
 * An API key has the form `ph_<id><secret><checksum>` or `ph_test_<id><secret><checksum>`, in base 62. The row is
 * looked up by the id, and stores only the SHA-256 of the secret (190 bits). The checksum lets secret scanners tell a
 * leaked key from random text, and lets us refuse a mistyped key without a query.
 */
const PREFIX = { live: 'ph_', test: 'ph_test_' } as const satisfies Record<Mode, string>;
const ID_LENGTH = 22;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = new RegExp(`^(?:ph_|ph_test_)[0-9A-Za-z]{${ID_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** The text of a new key, and the parts of it that we store. */
export function createKeyText(id: string, mode: Mode): { text: string; secretHash: Buffer; hint: string } {
  const secret = randomSecret();
  const body = PREFIX[mode] + toBase62(BigInt(`0x${id.replaceAll('-', '')}`), ID_LENGTH) + secret;
  const text = body + checksum(body);
  return { text, secretHash: hashSecret(secret), hint: text.slice(-4) };
}

export type KeyParts = { readonly id: string; readonly mode: Mode; readonly secretHash: Buffer };

/** The parts of a key's text, or null if the text cannot be one of our keys. */
export function parseKeyText(text: string): KeyParts | null {
  if (!SHAPE.test(text)) return null;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  if (text.slice(-CHECKSUM_LENGTH) !== checksum(body)) return null;
  const secretAt = body.length - SECRET_LENGTH;
  const id = toUuid(body.slice(secretAt - ID_LENGTH, secretAt));
  const mode = body.startsWith(PREFIX.test) ? 'test' : 'live';
  return isId(id) ? { id, mode, secretHash: hashSecret(body.slice(secretAt)) } : null;
}

export function isSameHash(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** Bytes of 248 and above are skipped. 248 is a multiple of 62, so every digit is equally likely. */
function randomSecret(): string {
  let secret = '';
  while (secret.length < SECRET_LENGTH) {
    for (const byte of randomBytes(SECRET_LENGTH)) {
      if (byte < 248 && secret.length < SECRET_LENGTH) secret += DIGITS.charAt(byte % 62);
    }
  }
  return secret;
}

function checksum(body: string): string {
  return toBase62(BigInt(crc32(body)), CHECKSUM_LENGTH);
}

function toBase62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = DIGITS.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, '0');
}

function toUuid(base62: string): string {
  let value = 0n;
  for (const digit of base62) value = value * 62n + BigInt(DIGITS.indexOf(digit));
  const hex = value.toString(16).padStart(32, '0');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.*)$/, '$1-$2-$3-$4-$5');
}
