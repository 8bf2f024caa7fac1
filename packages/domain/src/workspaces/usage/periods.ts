import { DAY_MS } from '@posthorn/platform/values';

/** The UTC calendar periods that sends are counted in. */
export type Periods = {
  /** '2026-11' */
  month: string;
  /** '2026-11-21' */
  day: string;
  monthEnds: Date;
  dayEnds: Date;
};

export function periodsAt(now: Date): Periods {
  if (now < latest.dayEnds && now.getTime() >= latest.dayEnds.getTime() - DAY_MS) return latest;
  latest = periodsOf(now);
  return latest;
}

/**
 * The latest result is cached, because every request to send email needs it, and nearly all requests fall on the same
 * day as the one before.
 */
let latest = periodsOf(new Date());

function periodsOf(now: Date): Periods {
  const day = now.toISOString().slice(0, 10);
  const [year, month, date] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  return {
    month: day.slice(0, 7),
    day,
    monthEnds: new Date(Date.UTC(year, month + 1, 1)),
    dayEnds: new Date(Date.UTC(year, month, date + 1)),
  };
}
