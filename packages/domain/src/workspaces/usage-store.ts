import type { Send, Statement } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';

/** One counter: a workspace's month ('2026-11') or day ('2026-11-21'). */
export type UsageKey = { readonly workspaceId: string; readonly period: string };

type UsageRow = { workspace_id: string; period: string; used: number };

/**
 * Creates missing counters and locks all of them until the commit. Every transaction locks them in the same order, so
 * that no two can deadlock.
 * @returns the number of sends counted so far, keyed by `toUsageKeyText`
 */
export async function lockUsage(send: Send, counters: readonly UsageKey[]): Promise<Map<string, number>> {
  const unique = [...new Map(counters.map((counter) => [toUsageKeyText(counter), counter])).values()];
  const rows = await send<UsageRow>(LOCK, [
    unique.map(({ workspaceId }) => workspaceId),
    unique.map(({ period }) => period),
  ]);
  return new Map(
    rows.map(({ workspace_id, period, used }) => [toUsageKeyText({ workspaceId: workspace_id, period }), used]),
  );
}

const LOCK: Statement = {
  name: 'lock_usage',
  text: `
    insert into usage (workspace_id, period, used)
    select workspace_id, period, 0 from unnest($1::uuid[], $2::text[]) as counter (workspace_id, period)
    order by workspace_id, period
    on conflict (workspace_id, period) do update set used = usage.used
    returning workspace_id, period, used`,
};

/** Limits how long this transaction waits for each lock. */
export async function limitLockWait(send: Send, ms: number): Promise<void> {
  await send(LIMIT_LOCK_WAIT, [`${ms}ms`]);
}

const LIMIT_LOCK_WAIT: Statement = {
  name: 'limit_lock_wait',
  text: "select set_config('lock_timeout', $1, true)",
};

export function toUsageKeyText({ workspaceId, period }: UsageKey): string {
  return `${workspaceId}/${period}`;
}

/** The sends counted in each of the periods. A period without a row is left out. */
export async function readUsed(
  db: Knex,
  workspaceId: string,
  periods: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db('usage')
    .select('period', 'used')
    .where({ workspace_id: workspaceId })
    .whereIn('period', [...periods]);
  return new Map(rows.map((row) => [row.period, row.used]));
}

/** Subtracts the sends of a canceled email from the month and the day that they were counted in. */
export async function refundUsage(
  trx: Knex,
  { workspaceId, usageDay, sends }: { workspaceId: string; usageDay: string; sends: number },
): Promise<void> {
  // The rows are locked in the same order as in lockUsage.
  await trx.raw(
    `with locked as (
       select workspace_id, period from usage
       where workspace_id = ? and period = any(?::text[]) order by workspace_id, period for update
     )
     update usage set used = greatest(used - ?, 0)
     from locked where usage.workspace_id = locked.workspace_id and usage.period = locked.period`,
    [workspaceId, [usageDay.slice(0, 7), usageDay], sends],
  );
}

/** The days that the recipients of these emails were counted in. */
export async function listUsageDays(
  db: Knex,
  emailIds: readonly string[],
): Promise<Array<{ workspaceId: string; usageDay: string }>> {
  return db('email_recipients')
    .join('emails', (join) =>
      join.on('emails.workspace_id', 'email_recipients.workspace_id').on('emails.id', 'email_id'),
    )
    .distinct('emails.workspace_id as workspaceId', db.raw('usage_day::text as "usageDay"'))
    .whereIn('email_id', [...emailIds]);
}
