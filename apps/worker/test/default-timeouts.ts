import { toTimeouts } from '../src/smtp/timeouts.js';

/** As the settings have them by default. */
export const defaultTimeouts = toTimeouts({
  greetingSeconds: 30,
  replySeconds: 300,
  finalReplySeconds: 600,
  transactionSeconds: 1_800,
});
