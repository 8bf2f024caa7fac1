export {
  claimEmails,
  IS_NEXT,
  type LateKind,
  type Selection,
  selectDueEmails,
  selectExpiredEmails,
  selectLateEmails,
  WORKSPACES_WITH_DUE,
} from './claim-store.js';
export { type ClaimedEmail, type ClaimedRecipient, listPendingRecipients, needs } from './claimed-email-store.js';
export {
  countJobs,
  DELIVERY_QUEUE,
  type DeliveryJob,
  type DeliveryJobs,
  openDeliveryJobs,
  QUEUE_PREFIX,
} from './delivery-jobs.js';
export { countNeedingNewerWorker, findEmailsToMark, markDueByIds, markDueEmails, setAside } from './due-store.js';
export {
  buildHandoffKey,
  findHandoffMarkers,
  writeHandoffIntent,
  writeHandoffMarker,
} from './handoff-store.js';
export { extendLeases } from './lease-store.js';
export { type Outcome, type RecipientResult, recordOutcomes } from './outcome-store.js';
export {
  type PausedQueues,
  pauseQueue,
  type QueuePause,
  readPausedQueues,
  readQueuePauses,
  resumeQueue,
} from './queue-pause-store.js';
export { holdBack, listWaits, releaseWaiting, WAITS, type Wait } from './wait-store.js';
