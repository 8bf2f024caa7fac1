export { createCachedRead } from './cached-read.js';
export { groupCalls, isRejection, type Rejection, toRejection } from './grouping.js';
export { assertNoOutage, isolateFailures } from './isolate-failures.js';
