/**
 * What a worker must understand to deliver an email: the bits of `deliveries.needs`. During an upgrade, an older worker
 * leaves the emails that it does not understand to a newer one.
 */
export const needs = {
  attachments: 1,
  /** Test mail is built but not sent. */
  testMode: 2,
  /** Mail for addresses of the simulator is not sent to a server. */
  simulator: 4,
} as const;

/** What this version understands. */
export const UNDERSTOOD = needs.attachments | needs.testMode | needs.simulator;

/** SQL: whether this version understands a row of `deliveries`. */
export const IS_UNDERSTOOD = `needs & ~${UNDERSTOOD} = 0`;
