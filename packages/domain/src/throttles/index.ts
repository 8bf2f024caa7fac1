export { type ByteBudget, createByteBudget, NO_BYTES, type UsedBytes } from './byte-budget.js';
export { createFairQueue, type FairQueue, runInTurn, type Turn } from './fair-queue.js';
export {
  assertBelowLimit,
  clearInProcess,
  clearShared,
  countInProcess,
  countShared,
  createFixedWindows,
  formatWindow,
  readWindow,
  secondsUntil,
  uncountShared,
  type WindowContext,
  type WindowLimit,
} from './fixed-window.js';
export {
  countRequest,
  createSlidingWindowMirror,
  createWindows,
  RATE_WINDOW_SCRIPT,
  type RequestKind,
  rateLimitRefusal,
  type Windows,
} from './sliding-window.js';
export { countUnverifiedSends, countVerificationLink } from './unverified-mail.js';
