import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Config } from '../config/config.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A secret as it is stored: nonce, tag and ciphertext in a row, and which SECRET_KEY opens it. */
export type SealedSecret = { readonly secretKeyId: string; readonly bytes: Buffer };

type Secrets = Pick<Config, 'secretKey'>;

/**
 * Encrypts what must be readable again (AES-256-GCM, with a key derived from SECRET_KEY).
 * @param owner id of the row it belongs to: in another row it cannot be opened
 * @throws Error without a SECRET_KEY
 */
export function sealSecret(config: Secrets, secret: Buffer, owner: string): SealedSecret {
  const secretKey = secretKeyOf(config);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, derive(secretKey, 'sealing key', 32), nonce).setAAD(Buffer.from(owner));
  const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
  return { secretKeyId: idOf(secretKey), bytes: Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]) };
}

/** @throws Error when it was sealed with another SECRET_KEY or for another owner, or was changed since */
export function openSecret(config: Secrets, { secretKeyId, bytes }: SealedSecret, owner: string): Buffer {
  const secretKey = secretKeyOf(config);
  const ourId = idOf(secretKey);
  if (ourId !== secretKeyId) {
    throw new Error(`A stored secret needs the SECRET_KEY ${secretKeyId}, but this process has ${ourId}.`);
  }
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, derive(secretKey, 'sealing key', 32), nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(owner))
    .setAuthTag(tag);
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}

/** Tells one SECRET_KEY from another and says nothing about it. */
function idOf(secretKey: string): string {
  return derive(secretKey, 'name of the key', 4).toString('hex');
}

/** Keys for different purposes from one secret (HKDF, RFC 5869): none of them tells anything about another. */
function derive(secretKey: string, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', `posthorn ${purpose}`, bytes));
}

/** Keyed hash for a purpose of its own, which nobody can make without SECRET_KEY. */
export function deriveToken(config: Secrets, purpose: string, bytes: number): Buffer {
  return derive(secretKeyOf(config), purpose, bytes);
}

function secretKeyOf({ secretKey }: Secrets): string {
  if (secretKey === null) throw new Error('SECRET_KEY is missing: set it to the one that the API and the worker have.');
  return secretKey;
}
