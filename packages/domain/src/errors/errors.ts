/**
 * All refusals of the domain package. Each has a code, an HTTP status, a title and a detail. Code
 * throws `new Refusal('not_found', { what: 'email' })`, and the API turns it into RFC 9457 problem details. Any other
 * error becomes a 500 that reveals nothing. Refusals that are only about HTTP, such as malformed JSON, are in
 * apps/api/src/http/http-errors.ts.
 */

import { limits } from '@posthorn/domain/limits';
import { formatBytes, formatCount, formatCountOf } from '@posthorn/platform/values';

/** One fault of a request: the field (`to[1]`), and a message that completes a sentence starting with the field. */
export type FieldFault = { field: string; message: string };

export type ProblemEntry<Facts> = { status: number; title: string; detail: (facts: Facts) => string };

export function defineProblem<Facts = void>(
  status: number,
  title: string,
  detail: (facts: Facts) => string,
): ProblemEntry<Facts> {
  return { status, title, detail };
}

/** `input` names what a fault without a field is about. The default is the body. */
type InvalidFacts = { faults: readonly FieldFault[]; input?: string };

/**
 * `isUnverified` is true if the cap is lower because the owner's address is not verified, and `isTest` if it is the cap
 * on test mail.
 */
type CapFacts = { cap: number; used: number; sends: number; resetsAt: Date; isUnverified: boolean; isTest: boolean };

const capDetail = (period: 'monthly' | 'daily', { cap, used, sends, resetsAt, isUnverified, isTest }: CapFacts) => {
  const noun = isTest ? 'test send' : 'send';
  return `This request counts as ${formatCountOf(sends, noun)}, but you have used ${formatCount(Math.min(used, cap))} of your ${period} cap of ${formatCountOf(cap, noun)}. ${isUnverified ? 'Confirm your email address' : 'Upgrade your plan'} or wait until ${resetsAt.toISOString()}.`;
};

export const refusals = {
  invalid_idempotency_key: defineProblem(
    400,
    'Invalid Idempotency-Key',
    () => 'Idempotency-Key must be 1 to 256 printable ASCII characters. A UUID works well.',
  ),
  unauthenticated: defineProblem<{ sessionOnly: boolean } | undefined>(401, 'Unauthenticated', (facts) =>
    facts?.sessionOnly
      ? 'This endpoint requires a session and cannot be called with an API key. Log in to the dashboard, or send the cookie that POST /auth/login sets.'
      : 'The request has no valid credential. Send "Authorization: Bearer <API key>" with a key that is not revoked or expired, or log in.',
  ),
  invalid_login: defineProblem(
    401,
    'Wrong email or password',
    () => 'No account matches this email and password. Check both, or reset the password.',
  ),
  monthly_cap_exceeded: defineProblem<CapFacts>(402, 'Monthly cap exceeded', (facts) => capDetail('monthly', facts)),
  missing_scope: defineProblem<{ scopes: readonly string[] } | { testMailOnly: true } | { liveMailOnly: string }>(
    403,
    'Missing scope',
    (facts) => {
      if ('testMailOnly' in facts)
        return 'API keys can read the messages of test mail only. Use a session to read the message of a live email.';
      if ('liveMailOnly' in facts)
        return `Test keys have no access to ${facts.liveMailOnly}, because test mail has none. Use a live key or a session.`;
      const { scopes } = facts;
      return scopes.length === 1
        ? `This API key does not have the scope ${scopes[0]}. Create a key that has it.`
        : `This API key has neither the scope ${scopes.join(' nor ')}. Create a key that has one of them.`;
    },
  ),
  network_not_allowed: defineProblem<{ address: string }>(
    403,
    'Network not allowed',
    ({ address }) =>
      `This API key cannot be used from ${address}. Use it from one of the networks that it is restricted to, or use another key.`,
  ),
  owner_required: defineProblem(
    403,
    'Owner required',
    () => 'Only an owner of the workspace can do this. Ask an owner.',
  ),
  sender_not_verified: defineProblem<{ domain: string }>(
    403,
    'Sender not verified',
    ({ domain }) =>
      `${domain} is not a verified domain of this workspace. Verify it, or omit from_ and domain_id to send from the platform address.`,
  ),
  domain_not_allowed: defineProblem<{ domain: string } | { isAboutAllDomains: true }>(
    403,
    'Domain not allowed',
    (facts) =>
      'domain' in facts
        ? `This API key cannot send from ${facts.domain}. Set from_ to an address at one of the domains that the key is restricted to, or use another key.`
        : 'This API key is restricted to domains, and this endpoint is about all domains of the workspace. Use a key without domain_ids, or a session.',
  ),
  account_not_verified: defineProblem<{ action: 'send' | 'invite' }>(
    403,
    'Email address not confirmed',
    ({ action }) =>
      `Until ${
        action === 'send'
          ? 'its owner confirms their email address, this workspace can send to that address only'
          : 'you confirm your email address, you cannot invite anyone'
      }. Open the link that we emailed to that address, or request a new one in the dashboard.`,
  ),
  workspace_paused: defineProblem<{ reason: string }>(
    403,
    'Workspace paused',
    ({ reason }) =>
      `Sending is paused for this workspace. ${reason.replace(/[^.!?]$/, '$&.')} The Deliverability page of the dashboard shows the rates and what bounced. Fix the cause. Then an owner can resume the workspace there, or with POST /api/v1/workspace/resume. If the operator has paused it, or an owner has resumed it in the last 30 days, ask the operator of this service.`,
  ),
  signup_closed: defineProblem(
    403,
    'Sign-up closed',
    () => 'Sign-up is closed on this server. Ask its operator for an account.',
  ),
  /** `meant`: the path that the client probably meant. */
  not_found: defineProblem<{ what: string; meant?: string | null }>(404, 'Not found', ({ what, meant }) =>
    meant ? `No such ${what} exists. Did you mean ${meant}?` : `No such ${what} exists. Check the path and the id.`,
  ),
  template_not_found: defineProblem(
    404,
    'Template not found',
    () => 'template_id does not match a template of this workspace. List your templates with GET /api/v1/templates.',
  ),
  domain_not_found: defineProblem(
    404,
    'Domain not found',
    () => 'domain_id does not match a domain of this workspace. Check the id, or omit domain_id.',
  ),
  idempotency_key_reused: defineProblem(
    409,
    'Idempotency-Key reused',
    () => 'This Idempotency-Key was used for a different request in the last 24 hours. Use a new key for a new email.',
  ),
  idempotency_in_progress: defineProblem(
    409,
    'Idempotency-Key in progress',
    () => 'A request with this Idempotency-Key is still in progress. Retry in 1 second.',
  ),
  not_cancelable: defineProblem<{ status: string; isAmbiguous: boolean }>(
    409,
    'Too late to change',
    ({ status, isAmbiguous }) =>
      isAmbiguous
        ? 'A mail server may already have the email, because the result of an attempt to send it is unknown. It can no longer be canceled or rescheduled. Wait for its final status.'
        : `The status of the email is ${status}. Only scheduled, queued and deferred emails can be changed.`,
  ),
  conflict: defineProblem<{ reason: string }>(409, 'Conflict', ({ reason }) => reason),
  validation_failed: defineProblem<InvalidFacts>(422, 'Validation failed', ({ faults, input = 'The body' }) => {
    const [first] = faults;
    const others = faults.length - 1;
    const count =
      faults.length < limits.faults.max ? formatCountOf(others, 'more error') : `at least ${others} more errors`;
    const more = others > 0 ? ` There ${others === 1 ? 'is' : 'are'} ${count}; see \`errors\`.` : '';
    const sentence = `${first?.field || input} ${first?.message}`;
    return `${sentence}${sentence.endsWith('?') ? '' : '.'}${more}`;
  }),
  missing_template_variables: defineProblem<{ names: readonly string[] }>(
    422,
    'Missing template variables',
    ({ names }) =>
      names.length === 1
        ? `The template needs a value for ${names[0]}. Add it to template_vars.`
        : `The template needs values for ${names.join(', ')}. Add them to template_vars.`,
  ),
  /** All in bytes. `added` is 0 if it is not known how many more are needed. */
  storage_limit_exceeded: defineProblem<{ used: number; added: number; limit: number }>(
    422,
    'Storage limit exceeded',
    ({ used, added, limit }) =>
      `Your workspace may keep ${formatBytes(limit)} of files, templates, suppressions, test mail, large emails and audit log. It keeps ${formatBytes(Math.min(used, limit))}${added > 0 ? `, and this request adds ${formatBytes(added)}` : ', which leaves too little for this request'}. Delete templates or suppressions that you no longer need, keep the content of emails for fewer days (PATCH /api/v1/workspace), or upgrade your plan. Test mail is deleted after ${limits.testMailDays.max} days.`,
  ),
  rate_limited: defineProblem<{ limit: string; retryAfterSeconds: number }>(
    429,
    'Rate limit exceeded',
    ({ limit, retryAfterSeconds }) =>
      `You reached the limit of ${limit}. Retry in ${formatCountOf(retryAfterSeconds, 'second')}.`,
  ),
  daily_cap_exhausted: defineProblem<CapFacts>(429, 'Daily cap exhausted', (facts) => capDetail('daily', facts)),
  internal: defineProblem(
    500,
    'Internal error',
    () => 'Something went wrong on our side. The error was logged; quote the request_id when you report it.',
  ),
  unavailable: defineProblem(
    503,
    'Unavailable',
    () =>
      'The service is temporarily unavailable. Retry in a few seconds, with the same Idempotency-Key if you sent one.',
  ),
} as const;

export type RefusalCode = keyof typeof refusals;

type FactsOf<Entry> = Entry extends ProblemEntry<infer Facts> ? Facts : never;

/** The last arguments of a call: the object that the `detail` is built from, or nothing if it needs none. */
export type FactsArguments<Entry> =
  FactsOf<Entry> extends void
    ? []
    : undefined extends FactsOf<Entry>
      ? [facts?: FactsOf<Entry>]
      : [facts: FactsOf<Entry>];

/** A caller's rate limit after this request, as reported in the RateLimit-* headers. */
export type RateLimitState = {
  /** Emails or requests per minute. An email counts once, however many recipients it has. */
  limit: number;
  remaining: number;
  /** Seconds until the oldest counted second leaves the window: 1 to 60. */
  resetSeconds: number;
};

/** Response fields and headers that some problems carry in addition to the common ones. */
export type ProblemExtras = {
  retryAfterSeconds?: number;
  resetsAt?: Date;
  faults?: readonly FieldFault[];
  /** For the RateLimit-* headers. */
  rate?: RateLimitState;
  /** Methods for the Allow header of a 405. */
  allowed?: readonly string[];
};

/** An error whose text is sent to the client. */
export abstract class ProblemError extends Error {
  abstract readonly code: string;
  readonly status: number;
  readonly title: string;
  extras: ProblemExtras;

  constructor({ status, title }: ProblemEntry<never>, detail: string, extras: ProblemExtras) {
    // Nobody reads the stack trace of a refusal, and recording it takes longer than the rest of the constructor.
    const { stackTraceLimit } = Error;
    if (status < 500) Error.stackTraceLimit = 0;
    super(detail);
    Error.stackTraceLimit = stackTraceLimit;
    this.status = status;
    this.title = title;
    this.extras = extras;
  }

  with(extras: ProblemExtras): this {
    this.extras = { ...this.extras, ...extras };
    return this;
  }
}

export class Refusal<Code extends RefusalCode = RefusalCode> extends ProblemError {
  override name = 'Refusal';

  constructor(
    readonly code: Code,
    ...[facts]: FactsArguments<(typeof refusals)[Code]>
  ) {
    const entry = refusals[code] as ProblemEntry<unknown>;
    super(entry, entry.detail(facts), toExtras(code, (facts ?? {}) as Partial<ProblemExtras>));
  }
}

/** @param reason sentences that say what to do */
export function conflict(reason: string): Refusal {
  return new Refusal('conflict', { reason });
}

/** For a workspace that cannot have one more. @param rest what it has too many of, and what to do */
export function refuseOneMore({ max }: { readonly max: number }, rest: string): Refusal {
  return conflict(`The workspace has reached the limit of ${max} ${rest}`);
}

/** A fault in one item of a batch, with a field such as `[2].to[0]`. */
export function toItemFault(index: number, { field, message }: FieldFault): FieldFault {
  return { field: `[${index}]${field && '.'}${field}`, message };
}

/** Longer field names are cut before they are repeated, because a client may send one that fills the whole body. */
const MAX_FIELD_CHARACTERS = 200;

/** The refusal for a request with invalid fields. It lists only the first few of them. */
export function invalid(...faults: FieldFault[]): Refusal {
  const shown = faults.slice(0, limits.faults.max).map(({ field, message }) => ({ field: shorten(field), message }));
  return new Refusal('validation_failed', { faults: shown });
}

function shorten(field: string): string {
  return field.length > MAX_FIELD_CHARACTERS ? `${field.slice(0, MAX_FIELD_CHARACTERS)}...` : field;
}

function toExtras(code: RefusalCode, facts: Partial<ProblemExtras>): ProblemExtras {
  if (code === 'idempotency_in_progress') return { retryAfterSeconds: 1 };
  if (code === 'unavailable') return { retryAfterSeconds: 2 };
  const { retryAfterSeconds, resetsAt, faults } = facts;
  return {
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(resetsAt !== undefined && { resetsAt }),
    ...(faults !== undefined && { faults }),
  };
}
