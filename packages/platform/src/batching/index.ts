export { cachedRead } from './cached-read.js';
export { type Condition, createCondition } from './condition.js';
export { grouped, Rejection } from './grouping.js';
export { assertNoOutage, isolateFailures } from './isolate-failures.js';
