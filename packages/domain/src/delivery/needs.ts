/**
 * What a worker must understand to deliver an email: the bits of `deliveries.needs`. During an upgrade, an older worker
 * leaves the emails that it does not understand to a newer one.
 */
export const needs = {
  attachments: 1,
  /** Test mail is built but not sent. */
  testMode: 2,
  /** Mail to simulator addresses is not sent to a server. */
  simulator: 4,
  /**
   * The worker must call `writeHandoffIntent` before it sends the end of the message, because without the intent, we
   * assume that no mail server has the message.
   */
  handoffIntent: 16,
  /** The message has headers and links for unsubscribing, and suppressions of its topic apply. */
  topic: 64,
  /** The html gets the links and the image that report clicks and opens. */
  tracking: 128,
} as const;

/**
 * The handoff intent itself, which is also a bit of `deliveries.needs`. It belongs to the attempt that holds the email:
 * the next claim or the outcome clears it.
 */
export const HANDOFF_INTENT = 32;

/** What this version understands. */
const UNDERSTOOD = Object.values(needs).reduce((all, bit) => all | bit, HANDOFF_INTENT);

/** SQL: whether this version understands a row of `deliveries`. */
export const IS_UNDERSTOOD = `needs & ~${UNDERSTOOD} = 0`;

/** SQL: whether the attempt that holds the email should have written a handoff intent but has not. */
export const IS_UNSENT = `needs & ${needs.handoffIntent | HANDOFF_INTENT} = ${needs.handoffIntent}`;

/** SQL: the value of `needs` without the handoff intent. */
export const NEEDS_WITHOUT_INTENT = `needs & ~${HANDOFF_INTENT}`;
