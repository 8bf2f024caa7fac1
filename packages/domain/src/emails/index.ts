export { assertExpiry } from './assert-expiry.js';
export { assertSchedulable } from './assert-schedulable.js';
export { countWaiting, readBacklog } from './backlog-store.js';
export { cancelEmail } from './cancel-email.js';
export type { DeliveryAttempt, EmailDetail, EmailEvent, EmailSummary } from './email.js';
export { findSmallEmails } from './email-batch-store.js';
export { insertEmailEvent, setCanceled } from './email-change-store.js';
export type { EmailFilters } from './email-filters.js';
export { listAttempts, listEvents } from './email-history-store.js';
export { listEmails } from './email-list-store.js';
export { type EmailOrigin, emailLogFields, type LoggedEmail } from './email-log-fields.js';
export { findEmailOrigin } from './email-origin-store.js';
export { searchEmails } from './email-search-store.js';
export { assertMove, deriveCanceledStatus, deriveEmailStatus, isReportable } from './email-status.js';
export { findEmail, findEmailSummary, findWorkspaceOfEmail } from './email-store.js';
export { type LockedEmail, lockEmails } from './lock-emails-store.js';
export { messageIdOf, parseMessageId } from './message-id.js';
export { renderedContent } from './rendered-content.js';
export { type EmailStats, reportStats } from './report-stats.js';
export { rescheduleEmail } from './reschedule-email.js';
export type { StoredMessage } from './stored-message.js';
export {
  attachmentsOf,
  findLargeContent,
  findStoredMessage,
  MESSAGE_COLUMNS,
  type MessageRow,
  SIZE_OF_CONTENT,
  toStoredMessage,
} from './stored-message-store.js';
