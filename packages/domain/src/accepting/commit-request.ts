import type { Workspace } from '../accounts/caller.js';
import type { Claim } from '../usage/claim.js';
import type { Periods } from '../usage/periods.js';
import type { UsageKey } from '../usage/usage-store.js';
import type { NewEmail } from './new-email.js';

/** One accepted request on its way into Postgres. */
export type Entry = {
  readonly workspace: Workspace;
  readonly periods: Periods;
  readonly email: NewEmail;
  readonly claim: Claim | null;
  /** The answer to the client, byte for byte; kept with the key. */
  readonly answer: string;
};

/** The counters that an entry is counted in: the month's, then the day's. */
export function countersOf({ workspace, periods }: Entry): [UsageKey, UsageKey] {
  return [
    { workspaceId: workspace.id, period: periods.month },
    { workspaceId: workspace.id, period: periods.day },
  ];
}

/** The idempotency keys of those entries that have one. */
export function claimsOf(entries: readonly Entry[]): Array<{ workspaceId: string; keyHash: string }> {
  return entries.flatMap(({ workspace, claim }) =>
    claim ? [{ workspaceId: workspace.id, keyHash: claim.keyHash }] : [],
  );
}
