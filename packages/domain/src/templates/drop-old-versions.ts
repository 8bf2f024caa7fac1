import { Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { firstIdAt, MINUTE_MS } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import type { Template } from './template.js';
import { deleteUnusedVersions, listOldVersions, type OldVersion } from './template-version-store.js';

/**
 * Longer than it takes to store an email once the current version of its template has been read, and longer than the
 * difference between the clocks of two processes.
 */
const SETTLE_MINUTES = 10;

/**
 * Keeps the newest `limits.templateVersions` versions of a template, and older ones only while an email uses them. A
 * version is not dropped until some time after it was replaced, because an email that is being accepted may still use
 * it.
 * @param current the template with its newest version, already stored. The template must be locked
 * @throws Refusal rate_limited if the template was recently updated too often
 */
export async function dropOldVersions(trx: Knex, workspaceId: string, current: Template): Promise<void> {
  const { max } = limits.templateVersions;
  const newestOld = current.version - max;
  if (newestOld < 1) return;
  const template = { workspaceId, id: current.id };
  const old = await listOldVersions(trx, template, newestOld);
  assertSettled(old, current);
  await deleteUnusedVersions(trx, template, old.map(usesOf));
}

function assertSettled(old: readonly OldVersion[], { updatedAt }: Template): void {
  const replacedAt = Math.max(...old.map((version) => version.replacedAt.getTime()));
  const waitMs = replacedAt + SETTLE_MINUTES * MINUTE_MS - updatedAt.getTime();
  if (waitMs <= 0) return;
  const limit = `${limits.templateVersions.max} updates of one template in ${SETTLE_MINUTES} minutes`;
  throw new Refusal('rate_limited', { limit, retryAfterSeconds: Math.ceil(waitMs / 1_000) });
}

/**
 * Emails that use a version were accepted while it was current, and the id of an email begins with the time when it was
 * accepted.
 */
function usesOf({ version, createdAt, replacedAt }: OldVersion) {
  const slackMs = SETTLE_MINUTES * MINUTE_MS;
  return {
    version,
    firstEmailId: firstIdAt(createdAt.getTime() - slackMs),
    lastEmailId: firstIdAt(replacedAt.getTime() + slackMs),
  };
}
