/**
 * How long each thing in Redis lives. All of it may be lost at any time: Postgres has the record, and
 * these numbers only say how soon a copy is refreshed or a leftover disappears.
 */
export const lifetimes = {
  /** A copy of a usage row. After this it is read from Postgres again, so what a crash left reserved is freed. */
  usageCounterSeconds: 60,
  /**
   * The lock on an idempotency key whose process died. It outlives any accept transaction; and should one
   * take longer, Postgres itself refuses to use the key twice.
   */
  idempotencyLockSeconds: 10,
  /** A stored response. A retry within this time is answered without asking Postgres. */
  idempotentResponseSeconds: 600,
  /** A handoff marker, in leases of the email it belongs to. */
  handoffMarkerLeases: 20,
} as const;
