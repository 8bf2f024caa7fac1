/**
 * Every refusal the API can answer with: its stable code, status, title, and the one sentence a
 * client reads. `throw new Refusal('not_found', { what: 'email' })`; the API's error middleware
 * turns it into RFC 9457 problem details. What is not a Refusal becomes a 500 that says nothing.
 */

import { limits } from './limits.js';
import type { Rate } from './rate-limits/rate-limit-state.js';

/** One fault of a request body: where (`to[1]`) and what, with the limit and the way out. */
export type FieldFault = { field: string; message: string };

type Entry<Facts> = { status: number; title: string; detail: (facts: Facts) => string };

function entry<Facts = void>(status: number, title: string, detail: (facts: Facts) => string): Entry<Facts> {
  return { status, title, detail };
}

const plural = (count: number, noun: string) => `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;

export const refusals = {
  bad_request: entry<{ reason: string }>(400, 'Bad request', ({ reason }) => reason),
  malformed_json: entry<{ reason: string }>(
    400,
    'Malformed JSON',
    ({ reason }) => `The request body is not valid JSON: ${reason}.`,
  ),
  invalid_idempotency_key: entry(
    400,
    'Invalid Idempotency-Key',
    () => 'Idempotency-Key must be 1 to 256 printable ASCII characters; a UUID serves well.',
  ),
  unauthenticated: entry(
    401,
    'Unauthenticated',
    () =>
      'No valid credential was sent: use "Authorization: Bearer <API key>" with a key that is neither revoked nor expired, or log in.',
  ),
  invalid_login: entry(401, 'Wrong email or password', () => 'Email and password do not match an account.'),
  monthly_cap_exceeded: entry<{ cap: number; used: number; asked: number; resetsAt: Date }>(
    402,
    'Monthly cap exceeded',
    ({ cap, used, asked, resetsAt }) =>
      `This email counts as ${plural(asked, 'send')}, but ${Math.min(used, cap).toLocaleString('en-US')} of the monthly cap of ${plural(cap, 'send')} are used; upgrade the plan or wait until ${resetsAt.toISOString()}.`,
  ),
  missing_scope: entry<{ scope: string }>(
    403,
    'Missing scope',
    ({ scope }) => `This API key lacks the scope ${scope}; create a key that has it.`,
  ),
  owner_required: entry(403, 'Owner required', () => 'Only an owner of the workspace may do this; ask one of them.'),
  sender_not_verified: entry<{ domain: string }>(
    403,
    'Sender not verified',
    ({ domain }) =>
      `${domain} is not a verified domain of this workspace; verify it, or leave from_ out to send from the platform address.`,
  ),
  csrf_rejected: entry(
    403,
    'Cross-site request refused',
    () => 'The browser says that another site made this request; a session is only accepted from this origin.',
  ),
  signup_closed: entry(
    403,
    'Sign-up closed',
    () => 'This server does not take sign-ups; ask its operator for an account.',
  ),
  not_found: entry<{ what: string }>(
    404,
    'Not found',
    ({ what }) => `There is no such ${what}; check the path and the id.`,
  ),
  template_not_found: entry(
    404,
    'Template not found',
    () => 'template_id is not the id of a template of this workspace; list them with GET /api/v1/templates.',
  ),
  domain_not_found: entry(
    404,
    'Domain not found',
    () => 'domain_id is not the id of a domain of this workspace; check the id, or leave domain_id out.',
  ),
  idempotency_key_reused: entry(
    409,
    'Idempotency-Key reused',
    () =>
      'This Idempotency-Key was already used for a different request in the last 24 hours; use a new key for a new email.',
  ),
  idempotency_in_progress: entry(
    409,
    'Idempotency-Key in progress',
    () => 'A request with this Idempotency-Key is still being worked on; repeat it in a second.',
  ),
  not_cancelable: entry<{ status: string }>(
    409,
    'Too late to change',
    ({ status }) => `The email is ${status}; only scheduled, queued and deferred emails can be changed.`,
  ),
  conflict: entry<{ reason: string }>(409, 'Conflict', ({ reason }) => reason),
  body_too_large: entry<{ maxBytes: number }>(
    413,
    'Body too large',
    ({ maxBytes }) =>
      `The request body is larger than the limit of ${maxBytes.toLocaleString('en-US')} bytes; send less in one request.`,
  ),
  unsupported_media_type: entry<{ reason: string }>(
    415,
    'Unsupported media type',
    ({ reason }) => `${reason}; send JSON in UTF-8 with "Content-Type: application/json".`,
  ),
  validation_failed: entry<{ faults: readonly FieldFault[] }>(422, 'Validation failed', ({ faults }) => {
    const [first] = faults;
    const others = faults.length - 1;
    const count = faults.length < limits.faults.max ? plural(others, 'more fault') : `${others} or more others`;
    const more = others > 0 ? ` (and ${count}, see errors)` : '';
    const sentence = `${first?.field || 'The body'}: ${first?.message}${more}`;
    return sentence.endsWith('?') ? sentence : `${sentence}.`;
  }),
  missing_template_variables: entry<{ names: readonly string[] }>(
    422,
    'Missing template variables',
    ({ names }) =>
      `The template needs ${names.length === 1 ? 'a value' : 'values'} for ${names.join(', ')}; add ${names.length === 1 ? 'it' : 'them'} to template_vars.`,
  ),
  rate_limited: entry<{ limit: string; retryAfterSeconds: number }>(
    429,
    'Rate limit exceeded',
    ({ limit, retryAfterSeconds }) =>
      `The limit of ${limit} is reached; try again in ${plural(retryAfterSeconds, 'second')}, backing off exponentially.`,
  ),
  daily_cap_exhausted: entry<{ cap: number; used: number; asked: number; resetsAt: Date }>(
    429,
    'Daily cap exhausted',
    ({ cap, used, asked, resetsAt }) =>
      `This email counts as ${plural(asked, 'send')}, but ${Math.min(used, cap).toLocaleString('en-US')} of the daily cap of ${plural(cap, 'send')} are used; upgrade the plan or wait until ${resetsAt.toISOString()}.`,
  ),
  internal: entry(
    500,
    'Internal error',
    () => 'Something went wrong on our side; it has been recorded, quote the request_id when you ask about it.',
  ),
  unavailable: entry(
    503,
    'Unavailable',
    () =>
      'The service cannot do this just now; try again in a few seconds, with the same Idempotency-Key if you sent one.',
  ),
} as const;

export type RefusalCode = keyof typeof refusals;

type Facts<Code extends RefusalCode> = Parameters<(typeof refusals)[Code]['detail']>[0];

/** Answer fields and headers that some refusals carry beside the common ones. */
export type RefusalExtras = {
  retryAfterSeconds?: number;
  resetsAt?: Date;
  faults?: readonly FieldFault[];
  /** On sends: goes into the RateLimit-* headers. */
  rate?: Rate;
};

export class Refusal<Code extends RefusalCode = RefusalCode> extends Error {
  override name = 'Refusal';
  readonly status: number;
  readonly title: string;
  extras: RefusalExtras;

  constructor(
    readonly code: Code,
    ...[facts]: Facts<Code> extends void ? [] : [facts: Facts<Code>]
  ) {
    const { status, title, detail } = refusals[code] as Entry<Facts<Code>>;
    super(detail(facts as Facts<Code>));
    this.status = status;
    this.title = title;
    this.extras = extrasOf(code, (facts ?? {}) as Partial<RefusalExtras>);
  }

  with(extras: RefusalExtras): this {
    this.extras = { ...this.extras, ...extras };
    return this;
  }
}

/** Longest name of a field that is repeated to who sent it: it may be as long as the body. */
const LONGEST_FIELD = 200;

/** A body that breaks rules: one fault per field. */
export function invalid(...faults: FieldFault[]): Refusal {
  const shown = faults.map(({ field, message }) => ({ field: shorten(field), message }));
  return new Refusal('validation_failed', { faults: shown });
}

function shorten(field: string): string {
  return field.length > LONGEST_FIELD ? `${field.slice(0, LONGEST_FIELD)}...` : field;
}

function extrasOf(code: RefusalCode, facts: Partial<RefusalExtras>): RefusalExtras {
  if (code === 'idempotency_in_progress') return { retryAfterSeconds: 1 };
  if (code === 'unavailable') return { retryAfterSeconds: 2 };
  const { retryAfterSeconds, resetsAt, faults } = facts;
  return {
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(resetsAt !== undefined && { resetsAt }),
    ...(faults !== undefined && { faults }),
  };
}
