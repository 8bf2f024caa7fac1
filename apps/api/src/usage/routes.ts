import type { Cap, Usage } from '@posthorn/contract';
import { reportUsage, type UsageReport, type Workspace } from '@posthorn/domain/workspaces';
import { defineRoute } from '../routing/route.js';

export const usageRoutes = [
  defineRoute({
    operationId: 'getUsage',
    method: 'get',
    path: '/billing/usage',
    access: 'session',
    summary: 'Retrieve the usage of the workspace, with the sends of the last 31 days',
    async handle(ctx, { caller }) {
      const report = await reportUsage(ctx, caller.workspace);
      return { status: 200, body: viewUsage(caller.workspace, report) };
    },
  }),
];

export function viewUsage({ allowance }: Workspace, report: UsageReport): Usage {
  const { plan, monthly, daily, ratePerMinute, storageBytes, testSends } = allowance;
  const { periods, overage } = report;
  return {
    object: 'usage',
    plan: { id: plan.id, name: plan.name, price_usd: plan.priceUsd },
    monthly: viewCap(report.usedOfMonth, monthly, periods.monthEnds),
    daily: viewCap(report.usedOfDay, daily, periods.dayEnds),
    overage: {
      allowed: overage.allowed,
      sends: overage.sends,
      per: overage.per,
      unit_price_usd: overage.priceUsd,
      amount_usd: overage.amountCents / 100,
    },
    rate_limit: { per_minute: ratePerMinute },
    storage: { bytes: report.storedBytes, limit_bytes: storageBytes },
    test_sends: { used: report.testSendsOfDay, limit: testSends },
    history: report.history.map(({ day, sends }) => ({ date: day, sends })),
  };
}

/** `used` can exceed the limit if the plan allows overage, or after an operator has lowered the limit. */
function viewCap(used: number, limit: number | null, resetsAt: Date): Cap {
  return {
    used,
    limit,
    remaining: limit === null ? null : Math.max(0, limit - used),
    resets_at: resetsAt.toISOString(),
  };
}
