import type { Workspace } from '../accounts/caller.js';
import { Refusal } from '../errors.js';
import type { Periods } from './periods.js';

/** The refusal of an email that would pass a cap, for the gate and the ledger alike. */
export function capRefusal(
  cap: 'monthly_cap' | 'daily_cap',
  asked: { workspace: Workspace; periods: Periods; sends: number },
  used: number,
): Refusal {
  const { allowance } = asked.workspace;
  if (cap === 'monthly_cap') {
    return new Refusal('monthly_cap_exceeded', {
      cap: allowance.monthlyCap ?? 0,
      used,
      asked: asked.sends,
      resetsAt: asked.periods.monthEnds,
    });
  }
  return new Refusal('daily_cap_exhausted', {
    cap: allowance.daily ?? 0,
    used,
    asked: asked.sends,
    resetsAt: asked.periods.dayEnds,
  });
}
