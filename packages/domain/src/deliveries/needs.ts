/**
 * What a worker must understand to send an email: the bits of `deliveries.needs`. During an upgrade, an older worker
 * leaves the emails that it does not understand to a newer one.
 */
export const needs = { attachments: 1 } as const;

/** What this version understands. */
export const UNDERSTOOD = needs.attachments;

/** SQL: whether this version understands a row of `deliveries`. */
export const IS_UNDERSTOOD = `needs & ~${UNDERSTOOD} = 0`;
