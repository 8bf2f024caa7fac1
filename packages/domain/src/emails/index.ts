export { countWaiting, readBacklog, readWaitingPage } from './backlog-store.js';
export { type CanceledWaiting, cancelEmail, cancelWaiting } from './cancel-emails-store.js';
export { findSmallEmails } from './email-batch-store.js';
export { insertEmailEvent, type LockedEmail, lockEmails, setCanceled } from './email-change-store.js';
export { type DeliveryAttempt, type EmailEvent, listAttempts, listEvents } from './email-history-store.js';
export { type EmailFilters, listEmails } from './email-list-store.js';
export { searchEmails } from './email-search-store.js';
export { type EmailStats, reportStats } from './email-stats-store.js';
export { assertMove, deriveCanceledStatus, deriveEmailStatus, isReportable } from './email-status.js';
export {
  type EmailDetail,
  type EmailSummary,
  findEmail,
  findEmailSummary,
  findWorkspaceOfEmail,
  listIdsFromDomains,
  renderStoredContent,
} from './email-store.js';
export { explainEmail, localRoutes } from './explain-email.js';
export { buildFeedbackKey, type FeedbackKey, parseFeedbackKey } from './feedback-key.js';
export { buildMessageId, parseMessageId } from './message-id.js';
export { rescheduleEmail } from './reschedule-email-store.js';
export { assertExpiry, assertSchedulable } from './schedule-rules.js';
export {
  buildAttachmentsSql,
  type EmailOrigin,
  findEmailOrigin,
  findLargeContent,
  findStoredMessage,
  type LoggedEmail,
  MESSAGE_COLUMNS,
  type MessageRow,
  SIZE_OF_CONTENT,
  type StoredMessage,
  toLogFields,
  toStoredMessage,
} from './stored-message-store.js';
export { type ParsedWait, parseWaitsFor, type StoredWait, type WaitsFor } from './waits-for.js';
