export { readAttemptActivity, readDestinationActivity, readWorkspaceActivity } from './activity-store.js';
export { type HeldBack, keepLargest, readHeldBack } from './held-back-store.js';
export { createRegistry } from './metrics.js';
