import { type AttachmentContent, stageAttachments } from '@posthorn/domain/attachments';
import { type RateLimitState, Refusal, type RefusalCode } from '@posthorn/domain/errors';
import { countUnverifiedSends, runInTurn } from '@posthorn/domain/throttles';
import { getPeriods, isTest } from '@posthorn/domain/workspaces';
import { failpoint } from '@posthorn/platform/failpoints';
import { inPipelinedTransaction } from '@posthorn/platform/postgres';
import type { AcceptContext } from './accept-context.js';
import type { AdmissionRequest } from './admission-request.js';
import { countSends, type NewEmails } from './commit-request.js';
import { type BatchMode, type Drafts, draftEmails, type RefusedDraft } from './draft-emails.js';
import type { IdempotencyKey } from './idempotency-key.js';
import { findStoredResponses, type StoredResponse, toScopedKeyText } from './idempotency-store.js';
import type { InvalidRequest, SendCaller, SendRequest } from './send-request.js';

export type Submission = {
  readonly caller: SendCaller;
  /** The X-Request-Id of the HTTP request, for the worker's log lines. The service's own mail has no request id. */
  readonly requestId?: string;
  /** The W3C traceparent under which the request is traced, if it is. It is kept with the emails. */
  readonly traceparent?: string | undefined;
  /** One request, or all requests of a batch. Only a permissive batch has invalid ones. */
  readonly requests: ReadonlyArray<SendRequest | InvalidRequest>;
  /** Refusals of a batch refer to emails by their index, even if there is only one. */
  readonly batch?: BatchMode;
  readonly idempotencyKey: IdempotencyKey | null;
  /** Builds the response body. It is stored with the idempotency key and returned again if the request is repeated. */
  readonly toResponse: (emails: NewEmails, refused: readonly RefusedDraft[]) => string;
};

/**
 * `body` is the response, byte for byte. `replayed` says whether the response was stored for an earlier request with
 * this key; then `accepted`, the number of emails that this request stored, is 0.
 */
type Accepted = {
  readonly body: string;
  readonly replayed: boolean;
  readonly accepted: number;
  readonly rate: RateLimitState;
};

/**
 * The accept flow, from valid requests to stored emails: draft (sender, content) -> admission check (rate limit, key,
 * caps) -> content of attachments -> accept transaction (key, caps, rows) -> delivery jobs -> response.
 *
 * Refusals come in the documented order (docs/architecture.md): rate limit, key, sender and template, caps. The
 * admission check must know how many sends to count, so the drafts are made first. If one is refused, that refusal is
 * thrown only after the check.
 * @throws Refusal if nothing was stored; after any other error, the emails may have been stored
 */
export async function acceptEmails(ctx: AcceptContext, submission: Submission): Promise<Accepted> {
  const drafts = await draftEmails(ctx, submission.caller, submission);
  const admission = toAdmission(ctx, submission, drafts);
  failpoint('before_admission');
  const admitted = await admitEmails(ctx, admission, drafts);
  failpoint('after_admission');
  const { rate } = admitted;
  if ('storedResponse' in admitted) return { body: admitted.storedResponse, replayed: true, accepted: 0, rate };
  return store(ctx, { submission, admission, drafts: admitted.drafts, rate });
}

/** Counts a request against the rate limit even though its body was refused. @throws Refusal rate_limited */
export async function countAgainstRateLimit(
  ctx: AcceptContext,
  { id, workspace }: Pick<SendCaller, 'id' | 'workspace'>,
): Promise<RateLimitState> {
  const periods = getPeriods(ctx.now());
  const { rate } = await ctx.admissionCheck.check({
    callerId: id,
    workspace,
    periods,
    emails: 1,
    sends: 0,
    idempotencyKey: null,
  });
  return rate;
}

function toAdmission(
  { now }: AcceptContext,
  { caller, requests, idempotencyKey }: Submission,
  drafts: Drafts | Refusal,
): AdmissionRequest {
  const isRefused = drafts instanceof Refusal;
  return {
    callerId: caller.id,
    workspace: caller.workspace,
    periods: getPeriods(isRefused ? now() : drafts.emails[0].createdAt),
    emails: requests.length,
    sends: isRefused ? 0 : countSends(drafts.emails),
    idempotencyKey,
  };
}

type Admission = { submission: Submission; admission: AdmissionRequest; drafts: Drafts; rate: RateLimitState };

async function store(ctx: AcceptContext, { submission, admission, drafts, rate }: Admission): Promise<Accepted> {
  const { workspace, periods, idempotencyKey } = admission;
  const { emails, refused } = drafts;
  const response = submission.toResponse(emails, refused);
  try {
    const { requestId, traceparent } = submission;
    const { unverifiedOwner } = workspace;
    if (unverifiedOwner && !isTest(workspace)) await countUnverifiedSends(ctx, unverifiedOwner, emails.length);
    const contents = listContents(emails);
    const stage = () => stageAttachments(ctx, workspace, contents);
    if (contents.length > 0) await runInTurn(ctx.stagingTurns, { owner: workspace.liveId }, stage, () => 0);
    failpoint('after_staging');
    const toCommit = { workspace, periods, emails, requestId, traceparent, idempotencyKey, response };
    const { storedResponse } = await ctx.commitEmails(toCommit);
    // Redis had lost the key, so it counted these sends twice. Postgres knew the key and did not count them again.
    if (storedResponse !== null) ctx.admissionCheck.release(admission);
    if (idempotencyKey) ctx.admissionCheck.writeStoredKey(workspace.id, idempotencyKey);
    failpoint('before_response');
    const replayed = storedResponse !== null;
    return { body: storedResponse ?? response, replayed, accepted: replayed ? 0 : emails.length, rate };
  } catch (error) {
    ctx.admissionCheck.release(admission);
    throw error instanceof Refusal ? error.with({ rate }) : error;
  }
}

function listContents(emails: NewEmails): AttachmentContent[] {
  return emails.flatMap(({ request }) => request.attachments?.map(({ content }) => content) ?? []);
}

/** Refusals from checks that come before the check of the idempotency key, or from that check itself. */
const BEFORE_KEY_CHECK: ReadonlySet<RefusalCode> = new Set([
  'rate_limited',
  'idempotency_key_reused',
  'idempotency_in_progress',
  'unavailable',
]);

/** Either the emails may be passed to the accept transaction, or there is already a response for their key. */
type AdmittedEmails = { readonly rate: RateLimitState } & (
  | { readonly drafts: Drafts }
  | { readonly storedResponse: string }
);

/**
 * Runs the admission check, then throws the drafts' refusal if there is one. Responses are stored only in Postgres,
 * which is queried if Redis says that there is a response for the key. Postgres is also queried before a request with a
 * key is refused, because keys expire in Redis earlier than in Postgres. As a result, a retry gets the stored response
 * even if a cap is used up or the template was deleted.
 * @throws Refusal
 */
async function admitEmails(
  ctx: AcceptContext,
  admission: AdmissionRequest,
  drafts: Drafts | Refusal,
): Promise<AdmittedEmails> {
  try {
    const { rate, isStored } = await ctx.admissionCheck.check(admission);
    const storedResponse = isStored ? await matchingResponse(ctx, admission, rate) : null;
    if (storedResponse !== null) return { rate, storedResponse };
    if (drafts instanceof Refusal) throw drafts.with({ rate });
    return { rate, drafts };
  } catch (error) {
    if (!(error instanceof Refusal) || BEFORE_KEY_CHECK.has(error.code)) throw error;
    const { rate } = error.extras;
    const storedResponse = rate === undefined ? null : await matchingResponse(ctx, admission, rate);
    if (storedResponse === null || rate === undefined) throw error;
    return { rate, storedResponse };
  }
}

/** @throws Refusal idempotency_key_reused */
async function matchingResponse(
  ctx: AcceptContext,
  admission: AdmissionRequest,
  rate: RateLimitState,
): Promise<string | null> {
  const stored = await findStoredResponse(ctx, admission);
  if (stored !== null && stored.fingerprint !== admission.idempotencyKey?.fingerprint) {
    throw new Refusal('idempotency_key_reused').with({ rate });
  }
  return stored?.response ?? null;
}

async function findStoredResponse(
  { db }: AcceptContext,
  { workspace, idempotencyKey }: AdmissionRequest,
): Promise<StoredResponse | null> {
  if (!idempotencyKey) return null;
  const key = { workspaceId: workspace.id, keyHash: idempotencyKey.keyHash };
  const responses = await inPipelinedTransaction(db, async ({ send, commit }) => {
    const [found] = await Promise.all([findStoredResponses(send, [key]), commit()]);
    return found;
  });
  return responses.get(toScopedKeyText(key)) ?? null;
}
