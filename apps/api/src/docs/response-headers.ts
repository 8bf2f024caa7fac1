import { type ProblemCode, problems } from '../http/http-errors.js';
import type { Route } from '../routing/route.js';

type Json = { [name: string]: unknown };

const RETRY_AFTER = 'Seconds to wait before a retry.';

/** The headers that responses share. A required one is never missing. */
export const responseHeaders = {
  RequestId: {
    description: 'The id of the request. Quote it when you ask about the request.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  RetryAfter: { description: RETRY_AFTER, required: true, schema: { type: 'integer', minimum: 1 } },
  WwwAuthenticate: {
    description: 'How to authenticate (RFC 9110, 11.6.1).',
    required: true,
    schema: { const: 'Bearer' },
  },
  SetCookie: {
    description: 'Sets the session cookie, or deletes it when the session ends.',
    required: true,
    schema: { type: 'string' },
  },
  RateLimitLimit: {
    description: 'How many emails or requests the rate limit allows per minute.',
    schema: { type: 'integer', minimum: 1 },
  },
  RateLimitRemaining: {
    description: 'How many emails or requests are left now.',
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimitReset: {
    description: 'Seconds until there is room for more.',
    schema: { type: 'integer', minimum: 0 },
  },
  IdempotentReplayed: {
    description: 'Sent if the response is that of an earlier request with the same Idempotency-Key.',
    schema: { const: 'true' },
  },
  ContentDisposition: { description: 'The name of the file. Sent with a CSV export.', schema: { type: 'string' } },
} as const satisfies Json;

type Name = keyof typeof responseHeaders;

function shared(name: Name): Json {
  return { $ref: `#/components/headers/${name}` };
}

const requestId = { 'X-Request-Id': shared('RequestId') };

const rateLimit = {
  'RateLimit-Limit': shared('RateLimitLimit'),
  'RateLimit-Remaining': shared('RateLimitRemaining'),
  'RateLimit-Reset': shared('RateLimitReset'),
};

const alwaysRateLimit = {
  'RateLimit-Limit': { ...responseHeaders.RateLimitLimit, required: true },
  'RateLimit-Remaining': { ...responseHeaders.RateLimitRemaining, required: true },
  'RateLimit-Reset': { ...responseHeaders.RateLimitReset, required: true },
};

const DOWNLOADS = ['message/rfc822', 'application/x-ndjson'];

/** The headers of a successful response. */
export function headersOfSuccess(route: Route): Json {
  return {
    ...requestId,
    ...(route.rateLimit !== 'none' && rateLimit),
    ...(route.isSend && { ...alwaysRateLimit, 'Idempotent-Replayed': shared('IdempotentReplayed') }),
    ...(route.setsCookie && { 'Set-Cookie': shared('SetCookie') }),
    ...(route.alsoContentType && { 'Content-Disposition': shared('ContentDisposition') }),
    ...(DOWNLOADS.includes(route.contentType ?? '') && {
      'Content-Disposition': { description: 'The name of the file.', required: true, schema: { type: 'string' } },
    }),
  };
}

/** The headers of a problem. @param codes the problems that share its status */
export function headersOfProblem(codes: readonly ProblemCode[]): Json {
  const retryable = codes.filter((code) => RETRYABLE.has(code));
  return {
    ...requestId,
    ...rateLimit,
    ...(codes.some((code) => problems[code].status === 401) && { 'WWW-Authenticate': shared('WwwAuthenticate') }),
    ...(retryable.length > 0 && { 'Retry-After': retryAfter(retryable, codes) }),
  };
}

const RETRYABLE: ReadonlySet<ProblemCode> = new Set(['rate_limited', 'unavailable', 'idempotency_in_progress']);

function retryAfter(retryable: readonly ProblemCode[], codes: readonly ProblemCode[]): Json {
  if (retryable.length === codes.length) return shared('RetryAfter');
  const description = `${RETRY_AFTER} Only sent with ${retryable.join(' and ')}.`;
  return { ...responseHeaders.RetryAfter, description, required: false };
}
