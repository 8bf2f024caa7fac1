import type { Allowance, LimitChange } from '@posthorn/domain';
import type { Command } from 'commander';
import { capValue, rateValue } from './values.js';

export type LimitOptions = { monthly?: Cap; daily?: Cap; rate?: number | 'default'; overageCap?: Cap };

type Cap = ReturnType<typeof capValue>;

/** The numbers that an operator may set for a workspace and for a plan alike. */
export function addLimitOptions(command: Command): Command {
  return command
    .option('--monthly <n>', 'sends of a month, none or default', capValue)
    .option('--daily <n>', 'sends of a day, none or default', capValue)
    .option('--rate <n>', 'emails per minute of a key or session, or default', rateValue)
    .option('--overage-cap <n>', 'most sends of a month beyond the monthly ones, none or default', capValue);
}

export function toLimitChange({ monthly, daily, rate, overageCap }: LimitOptions): LimitChange {
  return {
    ...(monthly !== undefined && { monthly: orNull(monthly) }),
    ...(daily !== undefined && { daily: orNull(daily) }),
    ...(rate !== undefined && { rate }),
    ...(overageCap !== undefined && { overage: orNull(overageCap) }),
  };
}

function orNull(cap: Cap): number | null | 'default' {
  return cap === 'none' ? null : cap;
}

/** null is no limit; a plan without overage has an overage cap of 0. */
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
