/**
 * How long each key in Redis lives. Keys may be lost at any time, because Postgres has the originals. These numbers
 * only decide how soon a copy is refreshed or a leftover disappears.
 */
export const lifetimes = {
  /** A copy of a usage row. Reading the row from Postgres again releases sends that a crash left reserved. */
  usageCounterSeconds: 60,
  /**
   * The lock on an idempotency key, in case the process that set it dies. It is meant to outlive any accept
   * transaction. If a transaction takes longer, Postgres still refuses to use the key twice.
   */
  idempotencyLockSeconds: 10,
  /**
   * The note that an idempotency key has a response in Postgres. A retry within this time reads the response there. A
   * later retry gets it too, but through the accept transaction, which costs more.
   */
  storedKeySeconds: 120,
  /** The lifetime of a handoff marker, as a multiple of an email's lease. */
  handoffMarkerLeases: 20,
} as const;
