import { Refusal } from '@posthorn/domain/errors';
import { isTest, type Periods, toUsageKeyText, type Workspace } from '@posthorn/domain/workspaces';
import { toRejection } from '@posthorn/platform/batching';
import { type CommitRequest, type CommitResult, countSends, toUsageKeys, WRITTEN } from './commit-request.js';

/*
 * The monthly cap (402) and the daily cap (429) of a workspace. Its plan and the operator's overrides say how high they
 * are; the daily cap of an unverified account is lower (plans/plans.ts). Test mail has a daily cap of its own, as
 * its workspace does (toTestWorkspace). They are enforced in this order:
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
  const isTestMail = isTest(workspace);
  // The cap on test mail is the same before the owner's address is verified.
  const facts = { used, sends, isTest: isTestMail, isUnverified: workspace.unverifiedOwner !== null && !isTestMail };
  return cap === 'monthly_cap'
    ? new Refusal('monthly_cap_exceeded', { ...facts, cap: monthlyCap ?? 0, resetsAt: periods.monthEnds })
    : new Refusal('daily_cap_exhausted', { ...facts, cap: daily ?? 0, resetsAt: periods.dayEnds });
}
