import { setTimeout as sleep } from 'node:timers/promises';
import { operator } from '@posthorn/domain/audit-log';
import { buildUsageKey, setWorkspaceLimits } from '@posthorn/domain/workspaces';
import type { Rig } from './open-rig.js';

/** Every process applies changed limits within a second. */
const LIMITS_APPLIED_MS = 1_100;

/** Sets a cap, so that the admission check keeps counters that can be compared with those in Postgres. */
export async function setMonthlyCap(rig: Rig, monthly: number): Promise<void> {
  await setWorkspaceLimits(rig.ctx, operator, rig.tenant.workspaceId, { monthly, overage: 0 });
  await sleep(LIMITS_APPLIED_MS);
}

/** This month's usage: what the admission check reserved (null if Redis lost it), and what Postgres counted. */
export async function readUsageCounters({ ctx, tenant }: Rig): Promise<{ reserved: number | null; used: number }> {
  const month = new Date().toISOString().slice(0, 7);
  // A drill may have restored or migrated the database since the rig was opened.
  await ctx.incarnation.read();
  const reserved = await ctx.redis.get(buildUsageKey(ctx, tenant.workspaceId, month));
  const { rows } = await ctx.db.raw('select used::int from usage where workspace_id = ? and period = ?', [
    tenant.workspaceId,
    month,
  ]);
  return { reserved: reserved === null ? null : Number(reserved), used: rows[0].used };
}
