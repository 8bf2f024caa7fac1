import { createHash, timingSafeEqual } from 'node:crypto';
import type { FeedbackRequest, RefusalReason, Verification } from './provider.js';

export type Refusal = Extract<Verification, { result: 'refused' }>;

export const asEvents: Verification = { result: 'events', token: null };

export function refuse(reason: RefusalReason, detail: string): Refusal {
  return { result: 'refused', status: 401, wwwAuthenticate: null, reason, detail };
}

export const FORGED = refuse(
  'forged',
  'The signature does not match. Check that the feedback secret is the one that the provider shows.',
);

/** The first value of a header; empty if there is none. */
export function getHeader({ headers }: Pick<FeedbackRequest, 'headers'>, name: string): string {
  const value = headers[name];
  return (typeof value === 'string' ? value : value?.[0]) ?? '';
}

/** In a time that does not depend on where the two differ. */
export function isEqual(one: Buffer | string, other: Buffer | string): boolean {
  const hash = (value: Buffer | string) => createHash('sha256').update(value).digest();
  return timingSafeEqual(hash(one), hash(other));
}

const MAX_CLOCK_SKEW_SECONDS = 300;

/** @param seconds since 1970, as text */
export function isFresh(seconds: string, now: Date, maxAgeSeconds: number): boolean {
  if (!/^\d{1,12}$/.test(seconds)) return false;
  const age = now.getTime() / 1_000 - Number(seconds);
  return age <= maxAgeSeconds && age >= -MAX_CLOCK_SKEW_SECONDS;
}

export function tooOld(allowed: string): Refusal {
  return refuse('too_old', `The request was signed more than ${allowed} ago. Check the clock of this server.`);
}

const NO_LOGIN: Refusal = {
  ...refuse('forged', 'The user name and password do not match. Put the feedback secret into the URL of the webhook.'),
  wwwAuthenticate: 'Basic realm="feedback", charset="UTF-8"',
};

/** HTTP Basic (RFC 7617). A secret is `user:password`. */
export async function verifyBasic(request: FeedbackRequest): Promise<Verification> {
  const [, encoded = ''] = /^basic +([\w+/=-]+) *$/i.exec(getHeader(request, 'authorization')) ?? [];
  const login = Buffer.from(encoded, 'base64');
  return request.secrets.some((secret) => isEqual(secret, login)) ? asEvents : NO_LOGIN;
}

export function findBasicFault(secret: string): string | null {
  return /^[^:\p{Cc}]+:\P{Cc}+$/u.test(secret) ? null : 'The secret must be a user name and a password: user:password.';
}
