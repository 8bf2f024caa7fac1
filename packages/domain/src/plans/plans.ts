import { limits } from '@posthorn/domain/limits';

/** A plan in the catalog. An operator may override its limits. */
type Plan = {
  readonly id: PlanId;
  readonly name: string;
  readonly priceUsd: number;
  /** Sends per UTC month. Further sends count as overage if the plan allows overage; otherwise they are refused. */
  readonly monthlySends: number;
  /** Sends per UTC day; null for no daily cap. */
  readonly dailySends: number | null;
  readonly overage: Overage | null;
  /** What the workspace may keep: files, templates, suppressions, test mail, large emails and the audit log. */
  readonly storageBytes: number;
};

export type PlanId = 'free' | 'pro';

export type Overage = { readonly per: number; readonly priceUsd: number };

const GB = 1_000_000_000;

export const plans: Record<PlanId, Plan> = {
  free: {
    id: 'free',
    name: 'Free',
    priceUsd: 0,
    monthlySends: 3_000,
    dailySends: 100,
    overage: null,
    storageBytes: 1 * GB,
  },
  pro: {
    id: 'pro',
    name: 'Pro',
    priceUsd: 20,
    monthlySends: 50_000,
    dailySends: null,
    overage: { per: 1_000, priceUsd: 1 },
    storageBytes: 25 * GB,
  },
};

/**
 * Limits set by an operator. If a limit is absent, the plan's own applies; null means no limit. `rate` and `storage`
 * cannot be null.
 */
export type LimitOverrides = {
  monthly?: number | null;
  daily?: number | null;
  /** Maximum emails per minute for one key or user, however many recipients the emails have. */
  rate?: number;
  /** The maximum number of overage sends per month; null for no limit. */
  overage?: number | null;
  /** In bytes. Cannot be null, because a disk has an end. */
  storage?: number;
};

/** A change requested by an operator; 'default' removes an override. */
export type LimitChange = { readonly [Name in keyof LimitOverrides]?: LimitOverrides[Name] | 'default' };

/** The limits in force for a workspace. */
export type Allowance = {
  readonly plan: Plan;
  /** Sends included per month; null if unlimited. */
  readonly monthly: number | null;
  /**
   * `monthly` plus the allowed overage; null for no cap. After this many sends in a month, further sends are refused
   * with 402.
   */
  readonly monthlyCap: number | null;
  readonly daily: number | null;
  readonly overage: Overage | null;
  readonly ratePerMinute: number;
  readonly storageBytes: number;
  /** Sends of test mail per day. */
  readonly testSends: number;
};

/**
 * @param overrides the plan's, then the workspace's; later ones win
 * @param defaultRate RATE_LIMIT_PER_MINUTE
 */
export function toAllowance(planId: PlanId, overrides: readonly LimitOverrides[], defaultRate: number): Allowance {
  const plan = plans[planId];
  const merged: LimitOverrides = Object.assign({}, ...overrides);
  const monthly = merged.monthly === undefined ? plan.monthlySends : merged.monthly;
  const daily = merged.daily === undefined ? plan.dailySends : merged.daily;
  return {
    plan,
    monthly,
    monthlyCap: monthlyCap(monthly, plan, merged.overage),
    daily,
    overage: plan.overage,
    ratePerMinute: merged.rate ?? defaultRate,
    storageBytes: merged.storage ?? plan.storageBytes,
    testSends: Math.max(countTestSends(plan.dailySends, plan.monthlySends), countTestSends(daily, monthly ?? 0)),
  };
}

const DAYS_PER_MONTH = 30;

/** A plan without a daily cap counts a thirtieth of its monthly sends. */
function countTestSends(daily: number | null, monthly: number): number {
  return limits.testSendsPerSend.max * (daily ?? Math.ceil(monthly / DAYS_PER_MONTH));
}

/** The limits of a workspace whose owner's address is not verified. */
export function withUnverifiedCap(allowance: Allowance): Allowance {
  const { max } = limits.unverifiedSends;
  return {
    ...allowance,
    daily: allowance.daily === null ? max : Math.min(allowance.daily, max),
    storageBytes: Math.min(allowance.storageBytes, limits.unverifiedStorage.max),
  };
}

function monthlyCap(monthly: number | null, plan: Plan, overageCap: number | null | undefined): number | null {
  if (monthly === null || plan.overage === null) return monthly;
  return overageCap === undefined || overageCap === null ? null : monthly + overageCap;
}
