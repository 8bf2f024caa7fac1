import type { Allowance, LimitChange } from '@posthorn/domain/workspaces';
import type { Command } from 'commander';
import { parseCap, parseRate } from './option-parsers.js';

export type LimitOptions = { monthly?: Cap; daily?: Cap; rate?: number | 'default'; overageCap?: Cap };

type Cap = ReturnType<typeof parseCap>;

/** The limits that can be set on a workspace and on a plan. */
export function addLimitOptions(command: Command): Command {
  return command
    .option('--monthly <n>', 'sends per month: a number, none or default', parseCap)
    .option('--daily <n>', 'sends per day: a number, none or default', parseCap)
    .option('--rate <n>', 'emails per minute for each API key or user: a number or default', parseRate)
    .option('--overage-cap <n>', 'sends per month beyond the monthly limit: a number, none or default', parseCap);
}

export function toLimitChange({ monthly, daily, rate, overageCap }: LimitOptions): LimitChange {
  return {
    ...(monthly !== undefined && { monthly: toNullableCap(monthly) }),
    ...(daily !== undefined && { daily: toNullableCap(daily) }),
    ...(rate !== undefined && { rate }),
    ...(overageCap !== undefined && { overage: toNullableCap(overageCap) }),
  };
}

function toNullableCap(cap: Cap): number | null | 'default' {
  return cap === 'none' ? null : cap;
}

/** null means no limit. A plan that does not allow overage has an overage cap of 0. */
export function viewLimits({ plan, monthly, monthlyCap, daily, overage, ratePerMinute }: Allowance) {
  const isUncapped = overage !== null && monthlyCap === null;
  return {
    plan: plan.id,
    monthly,
    daily,
    rate_per_minute: ratePerMinute,
    overage_cap: isUncapped ? null : (monthlyCap ?? 0) - (monthly ?? 0),
  };
}
