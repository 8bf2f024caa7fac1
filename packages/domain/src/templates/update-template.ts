import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { assertStorage } from '@posthorn/domain/plans';
import type { Context } from '@posthorn/platform';
import { DAY_MS, MINUTE_MS, toFirstId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import {
  declareVariables,
  describeTemplate,
  describeVariables,
  listDeclaredVariables,
  listTemplateVariables,
  measureTemplateBytes,
  parseParts,
  type Template,
  type TemplateFields,
  type TemplateInput,
  toTemplateTarget,
} from './template.js';
import { deleteOrPostpone, lockPurgeable, lockTemplate, markDeleted, updateTemplateRow } from './template-store.js';
import {
  deleteUnusedVersions,
  findVersionRecord,
  listOldVersions,
  listVersionTimes,
  type OldVersion,
  type TemplateRef,
} from './template-version-store.js';

type StoreChanges = {
  readonly changes: Partial<TemplateInput>;
  readonly actor: Actor;
  readonly now: Date;
  /** The version that the changes restore, if they do. */
  readonly restored?: number;
};

/**
 * Stores the changes as a new version, and drops old versions that no email uses. Without `declared`, placeholders keep
 * their defaults and samples.
 * @returns the template, without a new version if nothing has changed; null when there is no such template
 * @throws Refusal validation_failed for a fault in the changes, rate_limited for too many updates in a row, or
 *   storage_limit_exceeded
 */
export async function updateTemplate(
  ctx: Pick<Context, 'db' | 'now'>,
  actor: Actor,
  { workspaceId, id }: TemplateRef,
  changes: Partial<TemplateInput>,
): Promise<Template | null> {
  return ctx.db.transaction(async (trx) => {
    const current = await lockTemplate(trx, workspaceId, id);
    return current && storeChanges(trx, workspaceId, current, { changes, actor, now: ctx.now() });
  });
}

/**
 * The part of `updateTemplate` that follows the lock.
 * @param current the template, which must be locked
 */
async function storeChanges(
  trx: Knex.Transaction,
  workspaceId: string,
  current: Template,
  { changes, actor, now, restored }: StoreChanges,
): Promise<Template> {
  const { declared, ...fields } = changes;
  const changed = { ...current, ...fields };
  if (declared === undefined && hasSameFields(current, changed)) return current;
  const parts = parseParts(changed);
  // Also checks defaults that are kept, because a placeholder may have moved into the subject.
  const variables = declareVariables(
    parts,
    declared ?? describeVariables(listTemplateVariables(parts), current.variables),
  );
  const next: Template = { ...changed, variables, version: current.version + 1, updatedAt: now };
  if (hasSameFields(current, next) && JSON.stringify(current.variables) === JSON.stringify(variables)) return current;
  await assertStorage(trx, workspaceId, measureTemplateBytes(next));
  await updateTemplateRow(trx, workspaceId, next);
  await dropOldVersions(trx, workspaceId, next);
  await assertStorage(trx, workspaceId, 0);
  await recordChange(trx, actor, {
    workspaceId,
    action: restored === undefined ? 'template.updated' : 'template.restored',
    target: toTemplateTarget(next),
    before: describeTemplate(current),
    after: { ...describeTemplate(next), restored_version: restored },
  });
  return next;
}

function hasSameFields(a: TemplateFields, b: TemplateFields): boolean {
  return a.name === b.name && a.subject === b.subject && a.htmlBody === b.htmlBody && a.textBody === b.textBody;
}

/**
 * Stores the content of an old version as a new version. The name does not change, because names are not versioned.
 * @returns the template, without a new version if it already has that content; null when there is no such version
 * @throws Refusal rate_limited for too many updates in a row, or storage_limit_exceeded
 */
export async function restoreVersion(
  ctx: Pick<Context, 'db' | 'now'>,
  actor: Actor,
  { workspaceId, id }: TemplateRef,
  version: number,
): Promise<Template | null> {
  return ctx.db.transaction(async (trx) => {
    const current = await lockTemplate(trx, workspaceId, id);
    const old = current && (await findVersionRecord(trx, workspaceId, id, version));
    if (!old) return null;
    const { subject, htmlBody, textBody, variables } = old;
    const changes = { subject, htmlBody, textBody, declared: listDeclaredVariables(variables) };
    return storeChanges(trx, workspaceId, current, { changes, actor, now: ctx.now(), restored: version });
  });
}

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
async function dropOldVersions(trx: Knex, workspaceId: string, current: Template): Promise<void> {
  const { max } = limits.templateVersions;
  const newestOld = current.version - max;
  if (newestOld < 1) return;
  const template = { workspaceId, id: current.id };
  const old = await listOldVersions(trx, template, newestOld);
  assertSettled(old, current);
  await deleteUnusedVersions(trx, template, old.map(toVersionUses));
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
function toVersionUses({ version, createdAt, replacedAt }: OldVersion) {
  const slackMs = SETTLE_MINUTES * MINUTE_MS;
  return {
    version,
    firstEmailId: toFirstId(createdAt.getTime() - slackMs),
    lastEmailId: toFirstId(replacedAt.getTime() + slackMs),
  };
}

/**
 * The versions stay for the emails that use them (`purgeDeletedTemplates`).
 * @returns false when there is no such template
 */
export async function deleteTemplate(
  ctx: Pick<Context, 'db' | 'now'>,
  actor: Actor,
  { workspaceId, id }: TemplateRef,
): Promise<boolean> {
  return ctx.db.transaction(async (trx) => {
    const now = ctx.now();
    const purgeDueAt = new Date(now.getTime() + SETTLE_MINUTES * MINUTE_MS);
    const deleted = await markDeleted(trx, { workspaceId, id }, { now, purgeDueAt });
    if (!deleted) return false;
    const { name, version } = deleted;
    const target = toTemplateTarget({ id, name });
    const before = { name, version };
    await recordChange(trx, actor, { workspaceId, action: 'template.deleted', target, before, after: null });
    return true;
  });
}

/** Emails are deleted with their partition, which covers days, so versions that are in use are looked at once a day. */
const NEXT_LOOK_MS = DAY_MS;

/**
 * Deletes the versions of deleted templates that no email uses any more, and the templates that have no version left.
 * @param now the time according to Postgres
 * @returns how many of at most `limit` templates it looked at
 */
export async function purgeDeletedTemplates({ db }: Pick<Context, 'db'>, now: Date, limit: number): Promise<number> {
  return db.transaction(async (trx) => {
    const due = await lockPurgeable(trx, now, limit);
    for (const { deletedAt, ...template } of due) {
      const versions = await listVersionTimes(trx, template, deletedAt);
      await deleteUnusedVersions(trx, template, versions.map(toVersionUses));
      await deleteOrPostpone(trx, template, new Date(now.getTime() + NEXT_LOOK_MS));
    }
    return due.length;
  });
}
