import { setTimeout as sleep } from 'node:timers/promises';
import { setWorkspaceLimits } from '@posthorn/domain';
import type { Rig } from './open-rig.js';

/** Changed limits hold on every process within a second. */
const LIMITS_HOLD_MS = 1_100;

/** With a cap, so that the gate keeps counters that can be compared with the ledger's. */
export async function setMonthlyCap(rig: Rig, monthly: number): Promise<void> {
  await setWorkspaceLimits(rig.ctx, rig.tenant.workspaceId, { monthly, overage: 0 });
  await sleep(LIMITS_HOLD_MS);
}

/** What the gate has let through of this month's cap, null when it has forgotten, and what the ledger has counted. */
export async function readUsageCounters({ ctx, tenant }: Rig): Promise<{ reserved: number | null; used: number }> {
  const month = new Date().toISOString().slice(0, 7);
  const reserved = await ctx.redis.get(`{${tenant.workspaceId}}:usage:${month}`);
  const { rows } = await ctx.db.raw('select used::int from usage where workspace_id = ? and period = ?', [
    tenant.workspaceId,
    month,
  ]);
  return { reserved: reserved === null ? null : Number(reserved), used: rows[0].used };
}
