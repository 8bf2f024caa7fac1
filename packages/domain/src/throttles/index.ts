export { type ByteBudget, NO_BYTES, openByteBudget, type UsedBytes } from './budget.js';
export { countingWindows, secondsUntil } from './counting-windows.js';
export {
  countRequest,
  RATE_WINDOW_SCRIPT,
  type RequestKind,
  rateLimitRefusal,
  redisWindowMirror,
} from './rate-window.js';
export { openTurns, runInTurn, type Turn, type Turns } from './turns.js';
export { countUnverifiedSends, countVerificationLink } from './unverified-mail.js';
export {
  assertBelowLimit,
  clearInProcess,
  clearShared,
  countInProcess,
  countShared,
  formatWindow,
  openWindows,
  readWindow,
  uncountShared,
  type WindowContext,
  type WindowLimit,
  type Windows,
} from './window.js';
