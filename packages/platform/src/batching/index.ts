export { cachedRead } from './cached-read.js';
export { type Condition, createCondition } from './condition.js';
export { flushEachAlone, grouped, Rejection } from './grouping.js';
