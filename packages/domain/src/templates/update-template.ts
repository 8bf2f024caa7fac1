import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import type { Context } from '@posthorn/platform';
import type { Knex } from 'knex';
import { declareVariables } from './declare-variables.js';
import { describeTemplate, templateTarget } from './describe-template.js';
import { dropOldVersions } from './drop-old-versions.js';
import { parseParts } from './parse-parts.js';
import type { Template, TemplateFields, TemplateInput } from './template.js';
import { lockTemplate, updateTemplateRow } from './template-store.js';
import { describeVariables, templateVariables } from './template-variables.js';
import type { TemplateRef } from './template-version-store.js';

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
 * @throws Refusal validation_failed for a fault in the changes, or rate_limited for too many updates in a row
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
export async function storeChanges(
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
  const variables = declareVariables(parts, declared ?? describeVariables(templateVariables(parts), current.variables));
  const next: Template = { ...changed, variables, version: current.version + 1, updatedAt: now };
  if (hasSameFields(current, next) && JSON.stringify(current.variables) === JSON.stringify(variables)) return current;
  await updateTemplateRow(trx, workspaceId, next);
  await dropOldVersions(trx, workspaceId, next);
  await recordChange(trx, actor, {
    workspaceId,
    action: restored === undefined ? 'template.updated' : 'template.restored',
    target: templateTarget(next),
    before: describeTemplate(current),
    after: { ...describeTemplate(next), restored_version: restored },
  });
  return next;
}

function hasSameFields(a: TemplateFields, b: TemplateFields): boolean {
  return a.name === b.name && a.subject === b.subject && a.htmlBody === b.htmlBody && a.textBody === b.textBody;
}
