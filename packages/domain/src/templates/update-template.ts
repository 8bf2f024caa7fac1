import type { Context } from '../context.js';
import { parseParts } from './parse-parts.js';
import type { Template, TemplateFields } from './template.js';
import { lockTemplate, updateTemplateRow } from './template-store.js';
import { templateVariables } from './template-variables.js';

/**
 * Makes a new version of what changes; emails that were accepted keep theirs.
 * @returns the template as it is now, unchanged when nothing differs; null when there is none
 * @throws Refusal validation_failed with the position of a fault
 */
export async function updateTemplate(
  ctx: Pick<Context, 'db' | 'now'>,
  workspaceId: string,
  id: string,
  changes: Partial<TemplateFields>,
): Promise<Template | null> {
  return ctx.db.transaction(async (trx) => {
    const current = await lockTemplate(trx, workspaceId, id);
    if (!current) return null;
    const changed = { ...current, ...changes };
    if (sameFields(current, changed)) return current;
    const variables = templateVariables(parseParts(changed));
    const next: Template = { ...changed, variables, version: current.version + 1, updatedAt: ctx.now() };
    await updateTemplateRow(trx, workspaceId, next);
    return next;
  });
}

function sameFields(a: TemplateFields, b: TemplateFields): boolean {
  return a.name === b.name && a.subject === b.subject && a.htmlBody === b.htmlBody && a.textBody === b.textBody;
}
