import { createHmac, createSecretKey, randomBytes } from 'node:crypto';

/** @property id of the event, the same in every attempt. Neither it nor the timestamp may contain a dot */
type RequestToSign = {
  readonly id: string;
  /** The time of this attempt, in seconds since 1970. */
  readonly timestampSeconds: number;
  readonly body: string;
};

/** The headers that a receiver needs to verify a request. */
export type SignatureHeaders = {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
};

type Signer = (request: RequestToSign) => SignatureHeaders;

/**
 * Prepares signing according to Standard Webhooks (standardwebhooks.com, symmetric signatures).
 *
 * @param secrets the current secret first, then older ones that are still valid. A receiver accepts a request if it
 *   knows one of them
 * @throws Error if there is no secret, or one is not valid
 */
export function createSigner(secrets: readonly string[]): Signer {
  const keys = secrets.map((secret) => createSecretKey(decodeSecret(secret)));
  if (keys.length === 0) throw new Error('A webhook request needs at least one secret.');
  return ({ id, timestampSeconds, body }) => {
    const signed = `${id}.${timestampSeconds}.${body}`;
    const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    return {
      'webhook-id': id,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signatures.join(' '),
    };
  };
}

const PREFIX = 'whsec_';
/** Standard Webhooks allows 24 to 64. */
const SECRET_BYTES = 32;

/** A new secret for one webhook: `whsec_` and 32 random bytes in standard base64. */
export function createWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** @throws Error if the text is not a secret. The error does not contain it */
function decodeSecret(secret: string): Buffer {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  if (!secret.startsWith(PREFIX) || key.length === 0) throw new Error('A webhook secret must start with whsec_.');
  return key;
}
