export { type ByteBudget, createByteBudget, NO_BYTES, type UsedBytes } from './byte-budget.js';
export { createFairQueue, type FairQueue, runInTurn, type Turn } from './fair-queue.js';
export {
  assertBelowLimit,
  clearInProcess,
  clearShared,
  countInProcess,
  countSecondsUntil,
  countShared,
  createFixedWindows,
  formatWindow,
  perDay,
  readWindow,
  uncountShared,
  type WindowContext,
  type WindowLimit,
} from './fixed-window.js';
export {
  buildRateWindows,
  countRequest,
  createSlidingWindowMirror,
  createWindows,
  OF_WORKSPACE,
  type RateWindow,
  type RateWindows,
  type RequestKind,
  SLIDING_WINDOW_SCRIPT,
  toRateLimitRefusal,
  type Windows,
} from './sliding-window.js';
export { countUnverifiedReset, countUnverifiedSends, countVerificationLink } from './unverified-mail.js';
