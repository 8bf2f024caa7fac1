export { type AcceptContext, openAcceptContext } from './accept-context.js';
export { acceptEmails, countAgainstRateLimit, type Submission } from './accept-emails.js';
export { createAdmissionCheck } from './admission-check.js';
export { checkEmail, type EmailCheck } from './check-email.js';
export type { NewEmail, NewEmails } from './commit-request.js';
export type { RefusedDraft } from './draft-emails.js';
export { hashKey, type IdempotencyKey, parseIdempotencyKey } from './idempotency-key.js';
export {
  deleteExpiredIdempotencyKeys,
  findIdsByIdempotencyKey,
} from './idempotency-store.js';
export { measureMessage, type SizedContent, sumSizes } from './message-size.js';
export {
  dedupeRecipients,
  type InvalidRequest,
  isInvalid,
  type Recipients,
  type RequestedContent,
  type SendCaller,
  type SendRequest,
} from './send-request.js';
