export { claimEmails } from './claim-store.js';
export { type ClaimedEmail, type ClaimedRecipient, pendingRecipients } from './claimed-email.js';
export { countNeedingNewerWorker } from './count-needing-newer-worker-store.js';
export { findEmailsToMark, markDueByIds, markDueEmails } from './due-store.js';
export { findHandoffMarkers, writeHandoffMarker } from './handoff-marker.js';
export { extendLeases, writeHandoffIntent } from './lease-store.js';
export { needs } from './needs.js';
export type { Outcome, RecipientResult } from './outcome.js';
export { recordOutcomes } from './outcome-store.js';
export { type CanceledWaiting, cancelWaiting } from './queue/cancel-waiting.js';
export { countJobs } from './queue/count-jobs.js';
export { DELIVERY_QUEUE, type DeliveryJob, type DeliveryJobs, openDeliveryJobs } from './queue/delivery-jobs.js';
export { pauseQueue, resumeQueue } from './queue/pause-queue.js';
export { type PausedQueues, type QueuePause, readPausedQueues, readQueuePauses } from './queue/queue-pause-store.js';
export { readWaitingPage } from './queue/waiting-page-store.js';
export {
  claimDueEmail,
  claimDueEmails,
  claimExpiredEmail,
  claimExpiredEmails,
  claimLateEmail,
  claimLateEmails,
  findDueEmails,
  findExpiredEmails,
  findLateEmails,
  type LateKind,
  setAside,
} from './sweep-claim-store.js';
export { WORKSPACES_WITH_DUE } from './workspaces-with-due.js';
