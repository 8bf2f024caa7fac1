import { failpoint } from '#failpoint';
import { type RateLimitState, Refusal } from '../errors.js';
import { periodsAt } from '../usage/periods.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { AcceptContext } from './accept-context.js';
import { admitEmail } from './admit-email.js';
import { draftEmail } from './draft-email.js';
import type { IdempotencyKey } from './idempotency-key.js';
import type { NewEmail } from './new-email.js';
import type { AdmissionRequest } from './run-admission-script.js';
import type { SendRequest } from './send-request.js';

/** The key or user whose rate limit a request counts against, and the workspace that sends. */
export type Sending = { readonly id: string; readonly workspace: Workspace };

export type Submission = {
  readonly caller: Sending;
  /** The X-Request-Id of the HTTP request, for the worker's log lines. The service's own mail has none. */
  readonly requestId?: string;
  readonly request: SendRequest;
  readonly idempotencyKey: IdempotencyKey | null;
  /**
   * Writes the response body, which is stored with the idempotency key and returned again if the request is repeated.
   */
  readonly toResponse: (email: NewEmail) => string;
};

/**
 * `body` is the response, byte for byte. `replayed` says whether it was stored for an earlier request with this key.
 */
export type Accepted = { readonly body: string; readonly replayed: boolean; readonly rate: RateLimitState };

/**
 * FLOW 1, from a valid request to a stored email: draft (sender, content) -> admission check (rate limit, key, caps) ->
 * accept transaction (key, caps, rows) -> delivery job -> response.
 *
 * Refusals come in the documented order (docs/architecture.md): rate limit, key, sender and template, caps. The
 * admission check must know how many sends to count, so the draft is made first and its refusal waits for the check.
 * @throws Refusal when nothing is stored; after any other error, the email may or may not be stored
 */
export async function acceptEmail(ctx: AcceptContext, submission: Submission): Promise<Accepted> {
  const draft = await draftEmail(ctx, submission.caller.workspace, submission.request);
  const admission = toAdmission(ctx, submission, draft);
  failpoint('before_admission');
  const admitted = await admitEmail(ctx, admission, draft);
  failpoint('after_admission');
  const { rate } = admitted;
  if ('replay' in admitted) return { body: admitted.replay, replayed: true, rate };
  return store(ctx, { submission, admission, email: admitted.email, rate });
}

/** Counts a request against the rate limit although its body was refused. @throws Refusal rate_limited */
export async function countAgainstRateLimit(ctx: AcceptContext, { id, workspace }: Sending): Promise<RateLimitState> {
  const periods = periodsAt(ctx.now());
  const { rate } = await ctx.admissionCheck.check({
    callerId: id,
    workspace,
    periods,
    sends: 0,
    idempotencyKey: null,
  });
  return rate;
}

function toAdmission(
  { now }: AcceptContext,
  { caller, idempotencyKey }: Submission,
  draft: NewEmail | Refusal,
): AdmissionRequest {
  const isRefused = draft instanceof Refusal;
  return {
    callerId: caller.id,
    workspace: caller.workspace,
    periods: periodsAt(isRefused ? now() : draft.createdAt),
    sends: isRefused ? 0 : draft.recipients.length,
    idempotencyKey,
  };
}

type Admission = { submission: Submission; admission: AdmissionRequest; email: NewEmail; rate: RateLimitState };

async function store(ctx: AcceptContext, { submission, admission, email, rate }: Admission): Promise<Accepted> {
  const { workspace, periods, idempotencyKey } = admission;
  const response = submission.toResponse(email);
  try {
    const { requestId } = submission;
    if (workspace.unverifiedOwner) await ctx.unverifiedMailLimiter.countSend(workspace.unverifiedOwner.signupSource);
    const { replay } = await ctx.commitEmail({ workspace, periods, email, requestId, idempotencyKey, response });
    // Redis had lost the key and counted these sends a second time. Postgres knew the key and did not count them again.
    if (replay !== null) ctx.admissionCheck.release(admission);
    if (idempotencyKey) ctx.admissionCheck.writeStoredKey(workspace.id, idempotencyKey);
    failpoint('before_response');
    return { body: replay ?? response, replayed: replay !== null, rate };
  } catch (error) {
    ctx.admissionCheck.release(admission);
    throw error instanceof Refusal ? error.with({ rate }) : error;
  }
}
