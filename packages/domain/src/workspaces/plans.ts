/** A plan as the catalog has it; an operator may override its limits. */
export type Plan = {
  readonly id: PlanId;
  readonly name: string;
  readonly priceUsd: number;
  /** Sends of a UTC month; beyond it a plan with overage meters, one without refuses. */
  readonly monthlySends: number;
  /** Sends of a UTC day; null is no daily cap. */
  readonly dailySends: number | null;
  readonly overage: Overage | null;
};

export type PlanId = 'free' | 'pro';

export type Overage = { readonly per: number; readonly priceUsd: number };

export const plans: Record<PlanId, Plan> = {
  free: { id: 'free', name: 'Free', priceUsd: 0, monthlySends: 3_000, dailySends: 100, overage: null },
  pro: {
    id: 'pro',
    name: 'Pro',
    priceUsd: 20,
    monthlySends: 50_000,
    dailySends: null,
    overage: { per: 1_000, priceUsd: 1 },
  },
};

/** An operator's numbers: absent = the plan's own, null = none. `rate` has no null. */
export type LimitOverrides = {
  monthly?: number | null;
  daily?: number | null;
  /** Most emails per minute of one key or session, however many recipients they have. */
  rate?: number;
  /** Most overage sends of a month; null = as many as are paid for. */
  overage?: number | null;
};

/** What an operator asks for; 'default' takes an earlier override back. */
export type LimitChange = { readonly [Name in keyof LimitOverrides]?: LimitOverrides[Name] | 'default' };

/** The numbers that hold for a workspace now. */
export type Allowance = {
  readonly plan: Plan;
  /** Sends included in a month; null = unlimited. */
  readonly monthly: number | null;
  /** Sends at which a month's 402 begins: `monthly`, plus the overage that is allowed; null = never. */
  readonly monthlyCap: number | null;
  readonly daily: number | null;
  readonly overage: Overage | null;
  readonly ratePerMinute: number;
};

/**
 * @param planId of the workspace
 * @param overrides of the plan first, then of the workspace, which wins
 * @param defaultRate RATE_LIMIT_PER_MINUTE
 */
export function allowanceOf(planId: PlanId, overrides: readonly LimitOverrides[], defaultRate: number): Allowance {
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
  };
}

function monthlyCap(monthly: number | null, plan: Plan, overageCap: number | null | undefined): number | null {
  if (monthly === null || plan.overage === null) return monthly;
  return overageCap === undefined || overageCap === null ? null : monthly + overageCap;
}
