import { type RateLimitState, Refusal, type RefusalCode } from '@posthorn/domain/errors';
import { inPipelinedTransaction } from '@posthorn/platform/postgres';
import type { AcceptContext } from './accept-context.js';
import { scopedKeyText } from './idempotency-key.js';
import { findStoredResponses, type StoredResponse } from './idempotency-store.js';
import type { NewEmails } from './new-email.js';
import type { AdmissionRequest } from './run-admission-script.js';

/** Refusals from checks that come before the check of the idempotency key, or from that check itself. */
const BEFORE_KEY_CHECK: ReadonlySet<RefusalCode> = new Set([
  'rate_limited',
  'idempotency_key_reused',
  'idempotency_in_progress',
  'unavailable',
]);

/** Either the emails may be passed to the accept transaction, or there is already a response for their key. */
export type AdmittedEmails = { readonly rate: RateLimitState } & (
  | { readonly emails: NewEmails }
  | { readonly storedResponse: string }
);

/**
 * Runs the admission check, then throws the drafts' refusal if there is one. Responses are stored only in Postgres,
 * which is queried if Redis says that there is a response for the key. Postgres is also queried before a request with a
 * key is refused, because keys expire in Redis earlier than in Postgres. As a result, a retry gets the stored response
 * even if a cap is used up or the template was deleted.
 * @throws Refusal
 */
export async function admitEmails(
  ctx: AcceptContext,
  admission: AdmissionRequest,
  drafts: NewEmails | Refusal,
): Promise<AdmittedEmails> {
  try {
    const { rate, isStored } = await ctx.admissionCheck.check(admission);
    const storedResponse = isStored ? await matchingResponse(ctx, admission, rate) : null;
    if (storedResponse !== null) return { rate, storedResponse };
    if (drafts instanceof Refusal) throw drafts.with({ rate });
    return { rate, emails: drafts };
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
  return responses.get(scopedKeyText(key)) ?? null;
}
