import type { Context } from '../context.js';
import { dropOldVersions } from './drop-old-versions.js';
import { parseParts } from './parse-parts.js';
import type { Template, TemplateFields } from './template.js';
import { lockTemplate, updateTemplateRow } from './template-store.js';
import { templateVariables } from './template-variables.js';

/**
 * Stores the changes as a new version, and drops old versions that no email uses.
 * @returns the template, without a new version if nothing has changed; null when there is no such template
 * @throws Refusal validation_failed with the position of a fault, or rate_limited for too many updates in a row
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
    if (hasSameFields(current, changed)) return current;
    const variables = templateVariables(parseParts(changed));
    const next: Template = { ...changed, variables, version: current.version + 1, updatedAt: ctx.now() };
    await updateTemplateRow(trx, workspaceId, next);
    await dropOldVersions(trx, workspaceId, next);
    return next;
  });
}

function hasSameFields(a: TemplateFields, b: TemplateFields): boolean {
  return a.name === b.name && a.subject === b.subject && a.htmlBody === b.htmlBody && a.textBody === b.textBody;
}
