import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ProblemCode, problems } from '../http/http-errors.js';
import { listScopes } from '../routing/access.js';
import type { Route } from '../routing/route.js';
import { getResponseType, type Json } from './openapi-schemas.js';

const codes = (Object.keys(problems) as ProblemCode[]).sort((a, b) => problems[a].status - problems[b].status);

/** A route that takes no body still reads one before refusing it. Only GET refuses it unread. */
const bodyProblems: ProblemCode[] = ['malformed_json', 'body_too_slow', 'body_too_large', 'unsupported_media_type'];

const sendProblems: ProblemCode[] = [
  'invalid_idempotency_key',
  'monthly_cap_exceeded',
  'sender_not_verified',
  'domain_not_allowed',
  'account_not_verified',
  'workspace_paused',
  'template_not_found',
  'domain_not_found',
  'idempotency_key_reused',
  'idempotency_in_progress',
  'missing_template_variables',
  'daily_cap_exhausted',
];

/** The problems that follow from a route's declaration, and those that its own rules add. */
function listProblems(route: Route): ProblemCode[] {
  const { access, isSend, keepsToDomains, method, ownersOnly, rateLimit } = route;
  // The dispatcher returns 404 for a very long URL on any path.
  const found = new Set<ProblemCode>(['bad_request', 'not_found', 'validation_failed', 'internal', 'unavailable']);
  for (const code of route.problems ?? []) found.add(code);
  const add = (when: boolean, ...more: ProblemCode[]) => {
    if (when) for (const code of more) found.add(code);
  };
  add(access !== 'public', 'unauthenticated', 'network_not_allowed');
  add(listScopes(access) !== null, 'missing_scope');
  add(listScopes(access) !== null && !keepsToDomains, 'domain_not_allowed');
  add(access === 'owner' || ownersOnly === true, 'owner_required');
  add(method !== 'get', 'csrf_rejected', ...bodyProblems);
  // Everything that a client can change is stored, or has an entry in the audit log.
  add(method !== 'get' && access !== 'public', 'storage_limit_exceeded');
  add(rateLimit !== 'none', 'rate_limited');
  add(isSend === true, ...sendProblems);
  return codes.filter((code) => found.has(code));
}

/** @param headers the shared headers of openapi.yaml */
export function describeResponses(route: Route, headers: Json, example: unknown): Json {
  const listed = listProblems(route);
  const refused = [...new Set(listed.map((code) => problems[code].status))].map((status) => {
    const ofStatus = listed.filter((code) => problems[code].status === status);
    return [
      String(status),
      {
        description: ofStatus.map((code) => `${code}: ${problems[code].title}`).join('; '),
        headers: describeProblemHeaders(ofStatus, headers),
        content: describeProblems(ofStatus),
      },
    ];
  });
  const succeeded = {
    description: route.summary,
    headers: describeSuccessHeaders(route, headers),
    ...describeSuccess(route, example),
  };
  const responses = { ...Object.fromEntries(refused), [route.success ?? 200]: succeeded };
  const others = (route.alsoResponds ?? []).map((status) => {
    const challenge = status === 401 && { 'WWW-Authenticate': optionalChallenge };
    const also = { ...succeeded, headers: { ...succeeded.headers, ...challenge } };
    return [status, toEither(also, responses[status])] as const;
  });
  return { ...responses, ...Object.fromEntries(others) };
}

const optionalChallenge: Json = {
  description: 'Sent if the request needs HTTP Basic authentication.',
  required: false,
  schema: { type: 'string' },
};

/** A status whose body may be that of a success or a problem. */
function toEither(succeeded: Json, refused: Json = {}): Json {
  const content = { ...(refused.content as Json), ...(succeeded.content as Json) };
  return { ...refused, ...succeeded, content };
}

function describeSuccess(
  { contentType = 'application/json', alsoContentType, operationId, success }: Route,
  example: unknown,
): Json {
  if (success === 204) return {};
  const schema = contentType === 'application/json' ? getResponseType(operationId) : { type: 'string' };
  return {
    content: {
      [contentType]: { schema, ...(typeof example === 'object' && { example }) },
      ...(alsoContentType && { [alsoContentType]: { schema: { type: 'string' } } }),
    },
  };
}

function describeProblems(ofStatus: readonly ProblemCode[]): Json {
  const examples = Object.fromEntries(ofStatus.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  return { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, examples } };
}

function refer(name: string): Json {
  return { $ref: `#/components/headers/${name}` };
}

const requestId = { 'X-Request-Id': refer('RequestId') };
const rateLimitNames = ['Limit', 'Remaining', 'Reset'];
const rateLimit = Object.fromEntries(
  rateLimitNames.map((name) => [`RateLimit-${name}`, refer(`RateLimit${name}`)] as const),
);
const downloads = ['message/rfc822', 'application/x-ndjson'];

function describeSuccessHeaders(route: Route, headers: Json): Json {
  const alwaysRateLimit = rateLimitNames.map((name) => [
    `RateLimit-${name}`,
    { ...(headers[`RateLimit${name}`] as Json), required: true },
  ]);
  return {
    ...requestId,
    ...(route.rateLimit !== 'none' && rateLimit),
    ...(route.isSend && { ...Object.fromEntries(alwaysRateLimit), 'Idempotent-Replayed': refer('IdempotentReplayed') }),
    ...(route.setsCookie && { 'Set-Cookie': refer('SetCookie') }),
    ...(route.alsoContentType && { 'Content-Disposition': refer('ContentDisposition') }),
    ...(downloads.includes(route.contentType ?? '') && {
      'Content-Disposition': { description: 'The name of the file.', required: true, schema: { type: 'string' } },
    }),
  };
}

const RETRYABLE: ReadonlySet<ProblemCode> = new Set(['rate_limited', 'unavailable', 'idempotency_in_progress']);

/** @param ofStatus the problems that share the status */
function describeProblemHeaders(ofStatus: readonly ProblemCode[], headers: Json): Json {
  const retryable = ofStatus.filter((code) => RETRYABLE.has(code));
  const shared = headers.RetryAfter as Json;
  const description = `${shared.description} Only sent with ${retryable.join(' and ')}.`;
  const retryAfter =
    retryable.length === ofStatus.length ? refer('RetryAfter') : { ...shared, description, required: false };
  return {
    ...requestId,
    ...rateLimit,
    ...(ofStatus.some((code) => problems[code].status === 401) && { 'WWW-Authenticate': refer('WwwAuthenticate') }),
    ...(retryable.length > 0 && { 'Retry-After': retryAfter }),
  };
}

/** What docs/api/errors.md says about each code. */
function readMeanings(): ReadonlyMap<string, string> {
  const text = readFileSync(join(import.meta.dirname, '../../../../docs/api/errors.md'), 'utf8');
  return new Map(
    [...text.matchAll(/^\| <a id="(\w+)">.+ \| (.+) \|$/gm)].map(([, code = '', meaning = '']) => [code, meaning]),
  );
}

export function buildProblemExamples(): Json {
  const meanings = readMeanings();
  return Object.fromEntries(codes.map((code) => [code, buildProblemExample(code, meanings.get(code))]));
}

function buildProblemExample(code: ProblemCode, meaning: string | undefined): Json {
  if (meaning === undefined) throw new Error(`docs/api/errors.md does not describe ${code}.`);
  const { status, title } = problems[code];
  const value = {
    type: `https://mail.example.com/docs#${code}`,
    title,
    status,
    detail: meaning.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', ''),
    code,
    request_id: '0198c5d2-7e3a-7b41-9c06-52f1e8a4d371',
    ...(code === 'validation_failed' && { errors: [{ field: 'to', message: 'is required' }] }),
    ...(code.endsWith('cap_exceeded') && { resets_at: '2026-12-01T00:00:00.000Z' }),
    ...(code === 'daily_cap_exhausted' && { resets_at: '2026-11-21T00:00:00.000Z' }),
  };
  return { summary: title, value };
}
