import { isDeepStrictEqual } from 'node:util';
import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { assertOwnDomains } from '@posthorn/domain/domains';
import type { Context } from '@posthorn/platform';
import type { Knex } from 'knex';
import { webhookFields, webhookTarget } from './describe-webhook.js';
import { findLogPosition } from './find-log-position.js';
import { oldestReplayable } from './oldest-replayable.js';
import type { Webhook, WebhookSettings, WebhookWorkspace } from './webhook.js';
import { moveToFanOutCursor, restartWebhook, skipEventsBefore } from './webhook-state-store.js';
import { findWebhook, lockWebhook, updateWebhookRow } from './webhook-store.js';

/**
 * Changes the given settings. A webhook that is enabled again gets the events since it was disabled, but none that are
 * too old to be replayed. This and a new URL end a pause. New filters apply to events that the fan-out has not read yet,
 * which are normally those from now on. If events are waiting, or if the webhook is disabled, the new filters apply to
 * the waiting or missed events too.
 * @returns null when the workspace has no such webhook
 * @throws Refusal validation_failed for a domain of another workspace
 */
export async function updateWebhook(
  ctx: Pick<Context, 'db' | 'now'>,
  actor: Actor,
  workspace: WebhookWorkspace,
  { id, changes }: { id: string; changes: Partial<WebhookSettings> },
): Promise<Webhook | null> {
  const oldest = changes.status === 'enabled' ? await findOldestReplayablePosition(ctx, workspace.id) : null;
  return ctx.db.transaction(async (trx) => {
    const webhook = await lockWebhook(trx, workspace.id, id);
    if (!webhook) return null;
    await assertOwnDomains(trx, workspace.liveId, changes.domainIds ?? null, webhook.domainIds);
    // Once a user has decided about the status, the service's reason no longer matters.
    const disabledBecause = changes.status === undefined ? webhook.disabledBecause : null;
    await updateWebhookRow(trx, id, { ...webhook, ...changes, disabledBecause }, ctx.now());
    const changed = (await findWebhook(trx, workspace.id, id)) as Webhook;
    await changePlaceInLog(trx, webhook, changed, oldest);
    await recordChange(trx, actor, {
      workspaceId: workspace.liveId,
      action: 'webhook.updated',
      target: webhookTarget(changed),
      before: webhookFields(webhook),
      after: webhookFields(changed),
    });
    return changed;
  });
}

/** The order of the values has no meaning. */
function haveSameFilters(one: Webhook, other: Webhook): boolean {
  const filtersOf = ({ events, domainIds, tags }: Webhook) =>
    [events, domainIds, tags].map((values) => values && new Set<string>(values));
  return isDeepStrictEqual(filtersOf(one), filtersOf(other));
}

/** @returns the position of the first event that is not too old to send; null if there is none */
function findOldestReplayablePosition(ctx: Pick<Context, 'db' | 'now'>, workspaceId: string): Promise<number | null> {
  return findLogPosition(ctx.db, workspaceId, oldestReplayable(ctx));
}

/** @param oldest the position of the first event that is not too old to send, if the webhook is enabled */
async function changePlaceInLog(trx: Knex, before: Webhook, after: Webhook, oldest: number | null): Promise<void> {
  const { id } = before;
  if (before.status === 'enabled') {
    if (after.status === 'disabled' || !haveSameFilters(before, after)) await moveToFanOutCursor(trx, id);
    // The failures were those of another receiver.
    if (after.url !== before.url) await restartWebhook(trx, id);
  } else if (after.status === 'enabled') {
    if (oldest !== null) await skipEventsBefore(trx, id, oldest);
    await restartWebhook(trx, id);
  }
}
