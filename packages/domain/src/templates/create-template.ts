import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { refuseOneMore } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { assertStorage } from '@posthorn/domain/plans';
import { lockWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import {
  declareVariables,
  describeTemplate,
  listDeclaredVariables,
  measureTemplateBytes,
  parseParts,
  type Template,
  type TemplateInput,
  toTemplateTarget,
} from './template.js';
import { countTemplates, findTemplate, insertTemplate } from './template-store.js';
import type { TemplateRef } from './template-version-store.js';

/** `duplicateOf` is the id of the template that the fields were copied from. */
type NewTemplate = TemplateInput & { readonly duplicateOf?: string };

/**
 * @returns the template with its first version
 * @throws Refusal validation_failed for a fault in the fields, conflict when the workspace is at its template limit, or
 *   storage_limit_exceeded
 */
export async function createTemplate(
  ctx: Pick<Context, 'db' | 'now'>,
  actor: Actor,
  workspaceId: string,
  { duplicateOf, declared = [], ...fields }: NewTemplate,
): Promise<Template> {
  const variables = declareVariables(parseParts(fields), declared);
  const now = ctx.now();
  const template: Template = { id: newId(), version: 1, ...fields, variables, createdAt: now, updatedAt: now };
  await ctx.db.transaction(async (trx) => {
    await lockWorkspace(trx, workspaceId);
    if ((await countTemplates(trx, workspaceId)) >= limits.templates.max) {
      throw refuseOneMore(limits.templates, 'templates. Delete one that you no longer use.');
    }
    await assertStorage(trx, workspaceId, measureTemplateBytes(template));
    await insertTemplate(trx, workspaceId, template);
    await assertStorage(trx, workspaceId, 0);
    await recordChange(trx, actor, {
      workspaceId,
      action: duplicateOf === undefined ? 'template.created' : 'template.duplicated',
      target: toTemplateTarget(template),
      before: null,
      after: { ...describeTemplate(template), duplicate_of: duplicateOf },
    });
  });
  return template;
}

const SUFFIX = ' (copy)';

/**
 * Creates a template with the current content of another one. Its versions begin at 1.
 * @param name by default, the name of the other template followed by " (copy)"
 * @returns null when there is no such template
 * @throws Refusal conflict when the workspace is at its template limit, or storage_limit_exceeded
 */
export async function duplicateTemplate(
  ctx: Pick<Context, 'db' | 'now'>,
  actor: Actor,
  { workspaceId, id }: TemplateRef,
  name?: string,
): Promise<Template | null> {
  const original = await findTemplate(ctx.db, workspaceId, id);
  if (!original) return null;
  const { subject, htmlBody, textBody, variables } = original;
  const declared = listDeclaredVariables(variables);
  const content = { subject, htmlBody, textBody, declared };
  return createTemplate(ctx, actor, workspaceId, {
    name: name ?? copyName(original),
    ...content,
    duplicateOf: original.id,
  });
}

/** Shortens a long name between characters, so that the suffix fits. */
function copyName({ name }: Template): string {
  const kept = name.slice(0, limits.templateName.max - SUFFIX.length).replace(/[\uD800-\uDBFF]$/, '');
  return kept.trimEnd() + SUFFIX;
}
