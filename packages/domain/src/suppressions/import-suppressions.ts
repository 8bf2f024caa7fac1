import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import type { Suppression } from './suppression.js';
import { insertSuppressions } from './suppression-store.js';

/** The address has been parsed, and is in lower case. */
export type ImportedSuppression = Pick<Suppression, 'reason' | 'topic'> & { readonly address: string };

/**
 * Adds suppressions from another service. Either all or none of them are added. Those that the workspace already has
 * stay as they are.
 * @returns how many are new
 */
export async function importSuppressions(
  ctx: Pick<Context, 'db'>,
  actor: Actor,
  workspaceId: string,
  imported: readonly ImportedSuppression[],
): Promise<number> {
  return ctx.db.transaction(async (trx) => {
    const rows = imported.map((each) => ({ ...each, workspaceId, emailId: null, detail: 'Imported' }));
    const added = await insertSuppressions(trx, rows);
    await recordChange(trx, actor, {
      workspaceId,
      action: 'suppression.imported',
      target: { type: 'suppression', id: newId(), label: 'CSV file' },
      before: null,
      after: { rows: imported.length, added },
    });
    return added;
  });
}
