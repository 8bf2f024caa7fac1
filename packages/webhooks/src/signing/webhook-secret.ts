import { randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** Standard Webhooks allows 24 to 64. */
const SECRET_BYTES = 32;

/** A new secret for one webhook: `whsec_` and 32 random bytes in standard base64. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** @throws Error if the text is not a secret. The error does not contain it */
export function decodeSecret(secret: string): Buffer {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  if (!secret.startsWith(PREFIX) || key.length === 0) throw new Error('A webhook secret must start with whsec_.');
  return key;
}
