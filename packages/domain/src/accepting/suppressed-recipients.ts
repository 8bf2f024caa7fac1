import type { SuppressionReason } from '@posthorn/contract';
import { isTest, type Workspace } from '@posthorn/domain/workspaces';
import type { AcceptContext } from './accept-context.js';
import type { Simulated } from './find-simulated.js';
import type { SendRequest } from './send-request.js';

/** Why a recipient will not get an email. `simulated` is for the simulator's suppressed address. */
export type RecipientSuppression = SuppressionReason | 'simulated';

/**
 * The recipients that are suppressed now, each with the reason. This is only for warnings: the worker looks again right
 * before it sends. Test mail reaches nobody, so only the simulator suppresses its recipients.
 */
export async function suppressedRecipients(
  { findSuppressed }: Pick<AcceptContext, 'findSuppressed'>,
  workspace: Workspace,
  { to, cc, bcc, topic }: SendRequest,
  simulated: Simulated,
): Promise<ReadonlyMap<string, RecipientSuppression>> {
  const reasons = new Map<string, RecipientSuppression>();
  if (workspace.hasSuppressions && !isTest(workspace)) {
    const addresses = [...to, ...cc, ...bcc].map(({ address }) => address);
    const found = await findSuppressed({ workspaceId: workspace.id, topic: topic ?? null, addresses });
    for (const [address, { reason }] of found) reasons.set(address, reason);
  }
  for (const address of simulated.suppressed) reasons.set(address, 'simulated');
  return reasons;
}
