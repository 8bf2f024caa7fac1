import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { conflict, type Refusal } from '@posthorn/domain/errors';
import type { Context } from '@posthorn/platform';
import { deleteKeys } from './dkim-key-store.js';
import { lockDomain, markDeleted, updateDomainRow } from './domain-store.js';
import { type SendingDomain, toDomainTarget } from './sending-domain.js';

type DomainChanges = Partial<Pick<SendingDomain, 'trackOpens' | 'trackClicks'>>;

/**
 * Changes what emails from the domain record that are accepted from now on. Emails that were accepted before keep what
 * they have.
 * @returns null when the workspace has no such domain
 * @throws Refusal conflict for turning tracking on if the server has no TRACKING_URL
 */
export async function updateDomain(
  ctx: Pick<Context, 'config' | 'db'>,
  actor: Actor,
  { workspaceId, id }: Pick<SendingDomain, 'workspaceId' | 'id'>,
  changes: DomainChanges,
): Promise<SendingDomain | null> {
  if (ctx.config.trackingUrl === null && (changes.trackOpens || changes.trackClicks)) throw trackingUnavailable();
  return ctx.db.transaction(async (trx) => {
    const domain = (await lockDomain(trx, id))?.domain;
    if (domain?.workspaceId !== workspaceId) return null;
    const { trackOpens = domain.trackOpens, trackClicks = domain.trackClicks } = changes;
    const changed = await updateDomainRow(trx, id, { trackOpens, trackClicks });
    await recordChange(trx, actor, {
      workspaceId,
      action: 'domain.updated',
      target: toDomainTarget(domain),
      before: toAuditedFields(domain),
      after: toAuditedFields(changed),
    });
    return changed;
  });
}

function toAuditedFields({ trackOpens, trackClicks }: SendingDomain) {
  return { track_opens: trackOpens, track_clicks: trackClicks };
}

function trackingUnavailable(): Refusal {
  return conflict('This server cannot record opens and clicks. Ask its operator to set TRACKING_URL.');
}

/**
 * Deletes a domain at once, so that another workspace can verify the name. Waiting emails from the domain fail when
 * they are due, with an event that says why.
 * @returns false when the workspace has no such domain
 */
export function deleteDomain(
  ctx: Pick<Context, 'db' | 'now'>,
  actor: Actor,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<boolean> {
  return ctx.db.transaction(async (trx) => {
    const domain = (await lockDomain(trx, id))?.domain;
    if (domain?.workspaceId !== workspaceId) return false;
    await markDeleted(trx, workspaceId, id, ctx.now());
    await deleteKeys(trx, id);
    const { name, status } = domain;
    const target = toDomainTarget(domain);
    await recordChange(trx, actor, {
      workspaceId,
      action: 'domain.deleted',
      target,
      before: { name, status },
      after: null,
    });
    return true;
  });
}
