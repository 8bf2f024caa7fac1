export { readAttemptActivity, readDestinationActivity, readWorkspaceActivity } from './activity-store.js';
export { openRegistry } from './metrics.js';
