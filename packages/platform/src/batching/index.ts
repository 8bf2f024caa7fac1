export {
  assertNoOutage,
  createCachedRead,
  groupCalls,
  isolateFailures,
  isRejection,
  type Rejection,
  toRejection,
} from './grouping.js';
