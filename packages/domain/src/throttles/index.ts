export { countingWindows, secondsUntil } from './counting-windows.js';
export { openFairQueue } from './fair-queue.js';
export { type FixedWindowLimiter, fixedWindowLimiter } from './fixed-window-limiter.js';
export { formatWindow } from './format-window.js';
export { RATE_WINDOW_SCRIPT } from './rate-window-script.js';
export { rateLimitRefusal, redisWindowMirror } from './redis-window-mirror.js';
export { type CountRequest, openRequestLimiter, type RequestKind } from './request-limiter.js';
export { openSharedLimiter, type SharedLimiter } from './shared-limiter.js';
export { openUnverifiedMailLimiter, type UnverifiedMailLimiter } from './unverified-mail-limiter.js';
