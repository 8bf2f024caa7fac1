export { cachedRead } from './cached-read.js';
export { flushEachAlone, grouped, Rejection } from './grouping.js';
