export {
  claimDueByIds,
  claimDueEmails,
  claimEmails,
  claimExpiredByIds,
  claimExpiredEmails,
  claimLateByIds,
  claimLateEmails,
  findDueEmails,
  findExpiredEmails,
  findLateEmails,
  type LateKind,
  WORKSPACES_WITH_DUE,
} from './claim-store.js';
export { type ClaimedEmail, type ClaimedRecipient, pendingRecipients } from './claimed-email.js';
export { countNeedingNewerWorker, findEmailsToMark, markDueByIds, markDueEmails, setAside } from './due-store.js';
export { buildHandoffKey, findHandoffMarkers, writeHandoffMarker } from './handoff-marker.js';
export { extendLeases, writeHandoffIntent } from './lease-store.js';
export { needs } from './needs.js';
export { type Outcome, type RecipientResult, recordOutcomes } from './outcome-store.js';
export { type CanceledWaiting, cancelWaiting, readWaitingPage } from './queue/cancel-waiting-store.js';
export {
  countJobs,
  DELIVERY_QUEUE,
  type DeliveryJob,
  type DeliveryJobs,
  openDeliveryJobs,
  QUEUE_PREFIX,
} from './queue/delivery-jobs.js';
export {
  type PausedQueues,
  pauseQueue,
  type QueuePause,
  readPausedQueues,
  readQueuePauses,
  resumeQueue,
} from './queue/queue-pause-store.js';
