import { Refusal } from '@posthorn/domain/errors';
import { type Periods, toUsageKeyText, type Workspace } from '@posthorn/domain/workspaces';
import { toRejection } from '@posthorn/platform/batching';
import { type CommitRequest, type CommitResult, countSends, toUsageKeys, WRITTEN } from './commit-request.js';

/*
 * The monthly cap (402) and the daily cap (429) of a workspace. Its plan and the operator's overrides say how high they
 * are; the daily cap of an unverified account is lower (workspaces/plans.ts). They are enforced in this order:
 *
 * 1. admission-script.ts, in Redis: refuses most requests over a cap, without a query in Postgres.
 * 2. `insertWithinCaps` in insert-emails-store.ts, in Postgres: the statement that stores a group fails if it would
 *    exceed a cap.
 * 3. `takeFromCaps` below: decides request by request, if that statement has failed. The usage rows are locked.
 *
 * Emails of all unverified accounts together have limits of their own (throttles/unverified-mail.ts).
 */

/**
 * Counts all recipients of the request, or refuses it if they would exceed a cap. The monthly cap (402) comes first.
 */
export function takeFromCaps(request: CommitRequest, used: Map<string, number>): CommitResult {
  const { workspace, periods, emails } = request;
  const sends = countSends(emails);
  const { monthlyCap, daily } = workspace.allowance;
  const [month, day] = toUsageKeys(request).map(toUsageKeyText) as [string, string];
  const [usedOfMonth, usedOfDay] = [used.get(month) ?? 0, used.get(day) ?? 0];
  const refuse = (cap: 'monthly_cap' | 'daily_cap', usedOfCap: number) =>
    toRejection(toCapRefusal(cap, { workspace, periods, sends }, usedOfCap));
  if (monthlyCap !== null && usedOfMonth + sends > monthlyCap) return refuse('monthly_cap', usedOfMonth);
  if (daily !== null && usedOfDay + sends > daily) return refuse('daily_cap', usedOfDay);
  used.set(month, usedOfMonth + sends);
  used.set(day, usedOfDay + sends);
  return WRITTEN;
}

/** The refusal for an email that would exceed a cap, in the admission check or in the accept transaction. */
export function toCapRefusal(
  cap: 'monthly_cap' | 'daily_cap',
  { workspace, periods, sends }: { workspace: Workspace; periods: Periods; sends: number },
  used: number,
): Refusal {
  const { monthlyCap, daily } = workspace.allowance;
  const isUnverified = workspace.unverifiedOwner !== null;
  return cap === 'monthly_cap'
    ? new Refusal('monthly_cap_exceeded', {
        cap: monthlyCap ?? 0,
        used,
        sends,
        resetsAt: periods.monthEnds,
        isUnverified,
      })
    : new Refusal('daily_cap_exhausted', { cap: daily ?? 0, used, sends, resetsAt: periods.dayEnds, isUnverified });
}
