import type { AuditTarget } from '@posthorn/contract';
import { type Actor, type AuditedFields, recordChange } from '@posthorn/domain/audit-log';
import { invalid } from '@posthorn/domain/errors';
import { parseBareAddress, toAddressKey } from '@posthorn/domain/format';
import { assertStorage } from '@posthorn/domain/plans';
import { EVERY_WORKSPACE } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import type { Config } from '@posthorn/platform/config';
import { newId } from '@posthorn/platform/values';
import { toShortAddressHash } from './address-hash.js';
import {
  BYTES_PER_SUPPRESSION,
  countNewSuppressions,
  deleteSuppressionRow,
  findSameSuppression,
  findSuppressionById,
  forgetBounces,
  insertSuppressions,
  type Suppression,
} from './suppression-store.js';

/** The address is as the user wrote it. */
type ManualSuppression = Pick<Suppression, 'topic' | 'detail'> & { readonly address: string };

/**
 * Adds an address that gets no mail, or no mail of a topic. If the workspace already has the same suppression, it stays
 * as it is and is returned.
 * @param workspaceId the live workspace, or `EVERY_WORKSPACE`
 * @throws AddressError; Refusal storage_limit_exceeded
 */
export async function addSuppression(
  ctx: Pick<Context, 'config' | 'db'>,
  actor: Actor,
  workspaceId: string,
  { address: text, topic, detail }: ManualSuppression,
): Promise<Suppression> {
  const address = toAddressKey(parseBareAddress(text));
  const added = { workspaceId, address, topic, reason: 'manual', emailId: null, detail } as const;
  return ctx.db.transaction(async (trx) => {
    const isNew = (await insertSuppressions(trx, [added])) > 0;
    const suppression = (await findSameSuppression(trx, added)) as Suppression;
    if (isNew) {
      await assertStorage(trx, workspaceId, 0);
      await recordChange(trx, actor, {
        workspaceId: findAuditedWorkspace(suppression),
        action: 'suppression.created',
        target: toAuditTarget(ctx.config, suppression),
        before: null,
        after: toAuditedSuppression(suppression),
      });
    }
    return suppression;
  });
}

/**
 * Removes a suppression, so that the address gets mail again unless it has others. If it was a hard bounce,
 * earlier bounces of the address no longer count.
 * @param because why; required for a complaint, because mail to people who complained harms everyone's mail
 * @returns null when the workspace has no such suppression
 * @throws Refusal validation_failed if the reason is missing
 */
export async function removeSuppression(
  ctx: Pick<Context, 'config' | 'db'>,
  actor: Actor,
  workspaceId: string,
  { id, because }: { id: string; because: string | null },
): Promise<Suppression | null> {
  const found = await findSuppressionById(ctx.db, workspaceId, id);
  if (found?.reason === 'complaint' && because === null) throw reasonMissing();
  return ctx.db.transaction(async (trx) => {
    const removed = await deleteSuppressionRow(trx, workspaceId, id);
    if (!removed) return null;
    if (removed.reason === 'hard_bounce' && removed.address !== null)
      await forgetBounces(trx, { workspaceId: removed.workspaceId, address: removed.address });
    await recordChange(trx, actor, {
      workspaceId: findAuditedWorkspace(removed),
      action: 'suppression.removed',
      target: toAuditTarget(ctx.config, removed),
      before: toAuditedSuppression(removed),
      after: because === null ? null : { because },
    });
    return removed;
  });
}

function reasonMissing(): Error {
  const message =
    'is required to remove a complaint: the recipient marked an email as spam. Say why they want mail again, such as because=they+signed+up+again';
  return invalid({ field: 'because', message });
}

/** The audit log names the hash of an address, because it is kept for longer than an erased address may be. */
function toAuditTarget(config: Pick<Config, 'secretKey'>, suppression: Suppression): AuditTarget {
  const { id, workspaceId, address } = suppression;
  const label = address === null ? 'an erased address' : toShortAddressHash(config, workspaceId, address);
  return { type: 'suppression', id, label };
}

function toAuditedSuppression({ reason, topic }: Suppression): AuditedFields {
  return { reason, topic };
}

/** The workspace whose audit log names the suppression; null for one that concerns all workspaces. */
function findAuditedWorkspace({ workspaceId }: Pick<Suppression, 'workspaceId'>): string | null {
  return workspaceId === EVERY_WORKSPACE ? null : workspaceId;
}

/** The address has been parsed, and is in lower case. */
export type ImportedSuppression = Pick<Suppression, 'reason' | 'topic'> & { readonly address: string };

/**
 * Adds suppressions from another service. Either all or none of them are added. Those that the workspace already has
 * stay as they are.
 * @returns how many are new
 * @throws Refusal storage_limit_exceeded
 */
export async function importSuppressions(
  ctx: Pick<Context, 'db'>,
  actor: Actor,
  workspaceId: string,
  imported: readonly ImportedSuppression[],
): Promise<number> {
  return ctx.db.transaction(async (trx) => {
    const rows = imported.map((each) => ({ ...each, workspaceId, emailId: null, detail: 'Imported' }));
    await assertStorage(trx, workspaceId, BYTES_PER_SUPPRESSION * (await countNewSuppressions(trx, rows)));
    const added = await insertSuppressions(trx, rows);
    await assertStorage(trx, workspaceId, 0);
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
