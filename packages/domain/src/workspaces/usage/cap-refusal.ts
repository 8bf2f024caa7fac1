import { Refusal } from '@posthorn/domain/errors';
import type { Workspace } from '../workspace.js';
import type { Periods } from './periods.js';

/** The refusal for an email that would exceed a cap, in the admission check or in the accept transaction. */
export function capRefusal(
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
