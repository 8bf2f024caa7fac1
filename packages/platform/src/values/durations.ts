export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
/** A UTC day always has 24 hours. */
export const DAY_MS = 86_400_000;
