export { cachedRead } from './cached-read.js';
export { createCondition } from './condition.js';
export { grouped, Rejection } from './grouping.js';
export { assertNoOutage, isolateFailures } from './isolate-failures.js';
