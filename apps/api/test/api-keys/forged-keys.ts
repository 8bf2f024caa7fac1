import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECKSUM_LENGTH = 6;
const ID_LENGTH = 22;

/** The text with its checksum appended. */
export function withChecksum(body: string): string {
  let rest = crc32(body);
  let checksum = '';
  for (let digits = 0; digits < CHECKSUM_LENGTH; digits += 1) {
    checksum = DIGITS.charAt(rest % 62) + checksum;
    rest = Math.floor(rest / 62);
  }
  return body + checksum;
}

/** A well-formed key that does not exist, which only a database query can reveal. */
export function guessedKey(): string {
  const id = randomBytes(16);
  id[6] = ((id[6] ?? 0) & 0x0f) | 0x70;
  id[8] = ((id[8] ?? 0) & 0x3f) | 0x80;
  let number = BigInt(`0x${id.toString('hex')}`);
  let text = '';
  for (; number > 0n; number /= 62n) text = DIGITS.charAt(Number(number % 62n)) + text;
  return withChecksum(`ph_${text.padStart(ID_LENGTH, '0')}${'s'.repeat(32)}`);
}

/** A key with the same id and a different secret. */
export function withOtherSecret(key: string): string {
  return withChecksum(`${key.slice(0, 3 + ID_LENGTH)}${'s'.repeat(32)}`);
}
