import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** A new secret (Standard Webhooks): 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return `${PREFIX}${randomBytes(32).toString('base64')}`;
}

export type SignedHeaders = {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
};

type Message = { readonly id: string; readonly timestampSeconds: number; readonly body: string };

/** Signs with each of the secrets. @param secrets `whsec_...` */
export function openSigner(secrets: readonly string[]): (message: Message) => SignedHeaders {
  const keys = secrets.map((secret) => Buffer.from(secret.slice(PREFIX.length), 'base64'));
  return ({ id, timestampSeconds, body }) => {
    const text = `${id}.${timestampSeconds}.${body}`;
    const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(text).digest('base64')}`);
    return {
      'webhook-id': id,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signatures.join(' '),
    };
  };
}
