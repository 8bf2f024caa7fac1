/** A day of 24 hours; UTC has no others. */
export const DAY_MS = 86_400_000;
