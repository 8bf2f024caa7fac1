import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { addressKey, parseBareAddress } from '@posthorn/domain/format';
import type { Context } from '@posthorn/platform';
import { auditedWorkspaceOf, suppressionFields, suppressionTarget } from './describe-suppression.js';
import type { Suppression } from './suppression.js';
import { findSameSuppression, insertSuppressions } from './suppression-store.js';

/** The address is as the user wrote it. */
export type ManualSuppression = Pick<Suppression, 'topic' | 'detail'> & { readonly address: string };

/**
 * Adds an address that gets no mail, or no mail of a topic. If the workspace already has the same suppression, it stays
 * as it is and is returned.
 * @param workspaceId the live workspace, or `EVERY_WORKSPACE`
 * @throws AddressError
 */
export async function addSuppression(
  ctx: Pick<Context, 'config' | 'db'>,
  actor: Actor,
  workspaceId: string,
  { address: text, topic, detail }: ManualSuppression,
): Promise<Suppression> {
  const address = addressKey(parseBareAddress(text));
  const added = { workspaceId, address, topic, reason: 'manual', emailId: null, detail } as const;
  return ctx.db.transaction(async (trx) => {
    const isNew = (await insertSuppressions(trx, [added])) > 0;
    const suppression = (await findSameSuppression(trx, added)) as Suppression;
    if (isNew) {
      await recordChange(trx, actor, {
        workspaceId: auditedWorkspaceOf(suppression),
        action: 'suppression.created',
        target: suppressionTarget(ctx.config, suppression),
        before: null,
        after: suppressionFields(suppression),
      });
    }
    return suppression;
  });
}
