import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Config } from '@posthorn/platform/config';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A stored secret: the concatenated nonce, tag and ciphertext, and the id of the SECRET_KEY that decrypts it. */
export type SealedSecret = { readonly secretKeyId: string; readonly bytes: Buffer };

type Secrets = Pick<Config, 'secretKey'>;

/** The secrets that were ever used, for reading what was written before SECRET_KEY was changed. */
export type AllSecrets = Pick<Config, 'secretKey' | 'previousSecretKeys'>;

/**
 * Encrypts a secret that must be decrypted later (AES-256-GCM, with a key derived from SECRET_KEY).
 * @param owner id of the row that stores the secret. The secret cannot be decrypted for any other row
 * @throws Error when SECRET_KEY is missing
 */
export function sealSecret(config: Secrets, secret: Buffer, owner: string): SealedSecret {
  const secretKey = getSecretKey(config);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, derive(secretKey, 'sealing key', 32), nonce).setAAD(Buffer.from(owner));
  const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
  return { secretKeyId: toKeyId(secretKey), bytes: Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]) };
}

/**
 * Decrypts what `sealSecret` encrypted, with the current SECRET_KEY or an earlier one.
 * @throws Error when the secret was sealed with an unknown SECRET_KEY or for a different owner, or was modified
 */
export function openSecret(config: AllSecrets, { secretKeyId, bytes }: SealedSecret, owner: string): Buffer {
  const secretKey = listKeys(config).find((key) => toKeyId(key) === secretKeyId);
  if (secretKey === undefined) {
    throw new Error(
      `A stored secret needs the SECRET_KEY with the id ${secretKeyId}, but this process has the one with the id ${getSecretKeyId(config)}. Set SECRET_KEY to the value that the secret was stored with, or add that value to SECRET_KEY_PREVIOUS.`,
    );
  }
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, derive(secretKey, 'sealing key', 32), nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(owner))
    .setAuthTag(tag);
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}

/** The id of the SECRET_KEY of this process. @throws Error when it is missing */
export function getSecretKeyId(config: Secrets): string {
  return toKeyId(getSecretKey(config));
}

/** Whether the process can open secrets that were sealed with the SECRET_KEY with this id. @throws Error as above */
export function hasSecretKey(config: AllSecrets, secretKeyId: string): boolean {
  return listKeys(config).some((key) => toKeyId(key) === secretKeyId);
}

/** Identifies a SECRET_KEY without revealing it. */
function toKeyId(secretKey: string): string {
  return derive(secretKey, 'name of the key', 4).toString('hex');
}

/** Derives a key for one purpose (HKDF, RFC 5869). Keys for different purposes reveal nothing about each other. */
function derive(secretKey: string, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', `posthorn ${purpose}`, bytes));
}

/** A single-purpose token, which cannot be computed without SECRET_KEY. */
export function deriveToken(config: Secrets, purpose: string, bytes: number): Buffer {
  return derive(getSecretKey(config), purpose, bytes);
}

/**
 * The token for the current SECRET_KEY, and then those for the earlier ones. What was signed with any of them is still
 * genuine.
 */
export function deriveTokens(config: AllSecrets, purpose: string, bytes: number): Buffer[] {
  return listKeys(config).map((secretKey) => derive(secretKey, purpose, bytes));
}

function listKeys(config: AllSecrets): readonly string[] {
  return [getSecretKey(config), ...config.previousSecretKeys];
}

function getSecretKey({ secretKey }: Secrets): string {
  if (secretKey === null)
    throw new Error('SECRET_KEY is missing. Set it to the value that the API and the worker use.');
  return secretKey;
}
