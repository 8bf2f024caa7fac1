export { readAttemptActivity, readDestinationActivity, readWorkspaceActivity } from './activity-store.js';
export { createRegistry } from './metrics.js';
