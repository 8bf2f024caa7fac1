import type { Actor } from '@posthorn/domain/audit-log';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { createTemplate } from './create-template.js';
import type { Template } from './template.js';
import { findTemplate } from './template-store.js';
import { declaredVariables } from './template-variables.js';
import type { TemplateRef } from './template-version-store.js';

const SUFFIX = ' (copy)';

/**
 * Creates a template with the current content of another one. Its versions begin at 1.
 * @param name by default, the name of the other template followed by " (copy)"
 * @returns null when there is no such template
 * @throws Refusal conflict when the workspace is at its template limit
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
  const declared = declaredVariables(variables);
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
