import { isDeepStrictEqual } from 'node:util';
import type { DisabledBecause } from '@posthorn/contract';
import { findOwners } from '@posthorn/domain/accounts';
import { type Actor, recordChange, system } from '@posthorn/domain/audit-log';
import { assertOwnDomains } from '@posthorn/domain/domains';
import { conflict, type Refusal, refuseOneMore } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { lockWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { sealSecret } from '@posthorn/platform/secrets';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import { findLogPosition } from './replay-store.js';
import {
  oldestReplayable,
  toWebhookFields,
  toWebhookTarget,
  type Webhook,
  type WebhookSettings,
  type WebhookWorkspace,
} from './webhook.js';
import {
  insertWebhookState,
  moveToFanOutCursor,
  restartWebhook,
  skipEventsBefore,
  unconfirmWebhook,
} from './webhook-state-store.js';
import {
  countWebhookSecrets,
  countWebhooks,
  deleteWebhookRow,
  disableWebhookRow,
  findWebhook,
  insertWebhook,
  insertWebhookSecret,
  lockWebhook,
  retireWebhookSecrets,
  updateWebhookRow,
} from './webhook-store.js';

/**
 * Creates a webhook. It gets the events that are committed from now on.
 * @param secret `whsec_...`, stored encrypted
 * @throws Refusal conflict when the workspace is at its limit; validation_failed for a domain of another workspace
 */
export async function createWebhook(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  actor: Actor,
  workspace: WebhookWorkspace,
  { settings, secret }: { settings: WebhookSettings; secret: string },
): Promise<Webhook> {
  const now = ctx.now();
  const webhook: Webhook = {
    id: newId(),
    workspaceId: workspace.id,
    ...settings,
    disabledBecause: null,
    createdAt: now,
    updatedAt: now,
  };
  const secretId = newId();
  const sealed = sealSecret(ctx.config, Buffer.from(secret), secretId);
  await ctx.db.transaction(async (trx) => {
    await lockWorkspace(trx, workspace.liveId);
    if ((await countWebhooks(trx, workspace.id)) >= limits.webhooks.max)
      throw refuseOneMore(limits.webhooks, 'webhooks. Delete one that you no longer use.');
    await assertOwnDomains(trx, workspace.liveId, settings.domainIds);
    await insertWebhook(trx, webhook);
    await insertWebhookState(trx, webhook.id);
    await insertWebhookSecret(trx, { id: secretId, webhookId: webhook.id, sealed, createdAt: now });
    await recordChange(trx, actor, {
      workspaceId: workspace.liveId,
      action: 'webhook.created',
      target: toWebhookTarget(webhook),
      before: null,
      after: toWebhookFields(webhook),
    });
  });
  return webhook;
}

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
    await lockWorkspace(trx, workspace.liveId);
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
      target: toWebhookTarget(changed),
      before: toWebhookFields(webhook),
      after: toWebhookFields(changed),
    });
    return changed;
  });
}

/** The order of the values has no meaning. */
function haveSameFilters(one: Webhook, other: Webhook): boolean {
  const toFilters = ({ events, domainIds, tags }: Webhook) =>
    [events, domainIds, tags].map((values) => values && new Set<string>(values));
  return isDeepStrictEqual(toFilters(one), toFilters(other));
}

/** @returns the position of the first event that is not too old to send; null if there is none */
function findOldestReplayablePosition(ctx: Pick<Context, 'db' | 'now'>, workspaceId: string): Promise<number | null> {
  return findLogPosition(ctx.db, workspaceId, oldestReplayable(ctx));
}

/** @param oldest the position of the first event that is not too old to send, if the webhook is enabled */
async function changePlaceInLog(trx: Knex, before: Webhook, after: Webhook, oldest: number | null): Promise<void> {
  const { id } = before;
  if (after.url !== before.url) await unconfirmWebhook(trx, id);
  if (before.status === 'enabled') {
    if (after.status === 'disabled' || !haveSameFilters(before, after)) await moveToFanOutCursor(trx, id);
    // The failures were those of another receiver.
    if (after.url !== before.url) await restartWebhook(trx, id);
  } else if (after.status === 'enabled') {
    if (oldest !== null) await skipEventsBefore(trx, id, oldest);
    await restartWebhook(trx, id);
  }
}

/**
 * Gives the webhook a new secret. Until the overlap is over, messages are also signed with the old ones, so that the
 * receiver can change over without losing any. No old secret stays valid for longer than the overlap.
 * @returns null when the workspace has no such webhook
 * @throws Refusal conflict when too many old secrets are still valid
 */
export function rotateWebhookSecret(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  actor: Actor,
  workspace: WebhookWorkspace,
  { id, secret, overlapSeconds }: { id: string; secret: string; overlapSeconds: number },
): Promise<Webhook | null> {
  const now = ctx.now();
  return ctx.db.transaction(async (trx) => {
    const webhook = await lockWebhook(trx, workspace.id, id);
    if (!webhook) return null;
    await retireWebhookSecrets(trx, id, { now, expiresAt: new Date(now.getTime() + overlapSeconds * 1_000) });
    if ((await countWebhookSecrets(trx, id, now)) >= limits.webhookSecrets.max) throw tooManySecrets();
    const secretId = newId();
    const sealed = sealSecret(ctx.config, Buffer.from(secret), secretId);
    await insertWebhookSecret(trx, { id: secretId, webhookId: id, sealed, createdAt: now });
    await updateWebhookRow(trx, id, webhook, now);
    await recordChange(trx, actor, {
      workspaceId: workspace.liveId,
      action: 'webhook.secret_rotated',
      target: toWebhookTarget(webhook),
      before: null,
      after: { overlap_seconds: overlapSeconds },
    });
    return { ...webhook, updatedAt: now };
  });
}

function tooManySecrets(): Refusal {
  const { max } = limits.webhookSecrets;
  return conflict(
    `The webhook already has ${max} valid secrets, which is the limit. Wait until an old one has expired, or rotate with "overlap_seconds": 0 to replace all at once.`,
  );
}

/**
 * Deletes a webhook with its secrets and deliveries.
 * @returns false when the workspace has no such webhook
 */
export function deleteWebhook(
  { db }: Pick<Context, 'db'>,
  actor: Actor,
  workspace: WebhookWorkspace,
  id: string,
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const webhook = await lockWebhook(trx, workspace.id, id);
    if (!webhook) return false;
    await deleteWebhookRow(trx, id);
    await recordChange(trx, actor, {
      workspaceId: workspace.liveId,
      action: 'webhook.deleted',
      target: toWebhookTarget(webhook),
      before: toWebhookFields(webhook),
      after: null,
    });
    return true;
  });
}

/**
 * Disables a webhook that is gone or has failed for days. The same transaction queues an email to its owners
 * (notify-webhook-owners.ts). Nothing happens if a user has replaced the URL in the meantime.
 */
export async function disableWebhook(
  { db, log, now }: Pick<Context, 'db' | 'log' | 'now'>,
  { id, url }: Pick<Webhook, 'id' | 'url'>,
  because: DisabledBecause,
): Promise<void> {
  const isDisabled = await db.transaction(async (trx) => {
    const webhook = await disableWebhookRow(trx, { id, url }, { because, ownerNotificationId: newId(), now: now() });
    if (!webhook) return false;
    await moveToFanOutCursor(trx, id);
    const { liveId } = await findOwners(trx, webhook.workspaceId);
    await recordChange(trx, system, {
      workspaceId: liveId,
      action: 'webhook.updated',
      target: toWebhookTarget(webhook),
      before: toWebhookFields({ ...webhook, status: 'enabled', disabledBecause: null }),
      after: toWebhookFields(webhook),
    });
    return true;
  });
  if (isDisabled) log.warn({ webhookId: id, because }, 'webhook_disabled');
}
