export { DEFAULT_PAGE_SIZE, limits, MIN_PASSWORD_CHARACTERS, MIN_SEARCH_CHARACTERS } from './limits.js';
export { MIN_COMPLAINTS_FOR_RATE, MIN_SENT_FOR_RATE } from './reputation-limits.js';
export { DEFAULT_WEBHOOK_OVERLAP_SECONDS } from './webhook-limits.js';
