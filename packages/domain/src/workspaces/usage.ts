import type { Allowance, Overage } from '@posthorn/domain/plans';
import { readStoredBytes } from '@posthorn/domain/plans';
import type { Context } from '@posthorn/platform';
import { DAY_MS } from '@posthorn/platform/values';
import { readUsed } from './usage-store.js';
import type { Workspace } from './workspace.js';

/** The UTC calendar periods that sends are counted in. */
export type Periods = {
  /** '2026-11' */
  month: string;
  /** '2026-11-21' */
  day: string;
  monthEnds: Date;
  dayEnds: Date;
};

export function getPeriods(now: Date): Periods {
  if (now < latest.dayEnds && now.getTime() >= latest.dayEnds.getTime() - DAY_MS) return latest;
  latest = toPeriods(now);
  return latest;
}

/**
 * The latest result is cached, because every request to send email needs it, and nearly all requests fall on the same
 * day as the one before.
 */
let latest = toPeriods(new Date());

function toPeriods(now: Date): Periods {
  const day = now.toISOString().slice(0, 10);
  const [year, month, date] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  return {
    month: day.slice(0, 7),
    day,
    monthEnds: new Date(Date.UTC(year, month + 1, 1)),
    dayEnds: new Date(Date.UTC(year, month, date + 1)),
  };
}

const HISTORY_DAYS = 31;
const CENTS = 100;

/** What is reported for a plan without overage. */
const NO_OVERAGE: Overage = { per: 1_000, priceUsd: 0 };

export type UsageReport = {
  readonly periods: Periods;
  readonly usedOfMonth: number;
  readonly usedOfDay: number;
  readonly overage: Overage & { allowed: boolean; sends: number; amountCents: number };
  readonly testSendsOfDay: number;
  readonly storedBytes: number;
  /** Oldest first, including days without sends. */
  readonly history: ReadonlyArray<{ day: string; sends: number }>;
};

/** How much the workspace has sent, and what its overage costs. It reads 34 rows by primary key. */
export async function reportUsage(ctx: Pick<Context, 'db' | 'now'>, workspace: Workspace): Promise<UsageReport> {
  const now = ctx.now();
  const periods = getPeriods(now);
  const days = lastDays(now);
  const used = await readUsed(ctx.db, workspace.id, [periods.month, ...days]);
  const usedOfMonth = used.get(periods.month) ?? 0;
  const usedByTestMail = workspace.testId === null ? null : await readUsed(ctx.db, workspace.testId, [periods.day]);
  return {
    periods,
    usedOfMonth,
    usedOfDay: used.get(periods.day) ?? 0,
    testSendsOfDay: usedByTestMail?.get(periods.day) ?? 0,
    storedBytes: await readStoredBytes(ctx.db, workspace.liveId),
    overage: computeOverage(workspace.allowance, usedOfMonth),
    history: days.map((day) => ({ day, sends: used.get(day) ?? 0 })),
  };
}

function lastDays(now: Date): string[] {
  return Array.from({ length: HISTORY_DAYS }, (_, index) => {
    const age = HISTORY_DAYS - 1 - index;
    return getPeriods(new Date(now.getTime() - age * DAY_MS)).day;
  });
}

/** Overage is billed pro rata, and half a cent is rounded up. */
function computeOverage({ overage, monthly, monthlyCap }: Allowance, used: number): UsageReport['overage'] {
  if (overage === null || monthly === null)
    return { ...(overage ?? NO_OVERAGE), allowed: false, sends: 0, amountCents: 0 };
  const sends = Math.max(0, used - monthly);
  return {
    ...overage,
    allowed: monthlyCap === null || monthlyCap > monthly,
    sends,
    amountCents: Math.round((sends * overage.priceUsd * CENTS) / overage.per),
  };
}
