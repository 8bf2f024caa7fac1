import type { Context } from '../context.js';
import { Refusal } from '../errors.js';
import { newId } from '../ids.js';
import { limits } from '../limits.js';
import { lockWorkspace } from '../workspaces/workspace-store.js';
import { declareVariables } from './declare-variables.js';
import { parseParts } from './parse-parts.js';
import type { Template, TemplateInput } from './template.js';
import { countTemplates, insertTemplate } from './template-store.js';

/**
 * @returns the template with its first version
 * @throws Refusal validation_failed for a fault in the fields, or conflict when the workspace is at its
 *   template limit
 */
export async function createTemplate(
  ctx: Pick<Context, 'db' | 'now'>,
  workspaceId: string,
  { declared = [], ...fields }: TemplateInput,
): Promise<Template> {
  const variables = declareVariables(parseParts(fields), declared);
  const now = ctx.now();
  const template: Template = { id: newId(), version: 1, ...fields, variables, createdAt: now, updatedAt: now };
  await ctx.db.transaction(async (trx) => {
    await lockWorkspace(trx, workspaceId);
    if ((await countTemplates(trx, workspaceId)) >= limits.templates.max) {
      throw new Refusal('conflict', {
        reason: `The workspace has reached the limit of ${limits.templates.max} templates. Delete one that you no longer use.`,
      });
    }
    await insertTemplate(trx, workspaceId, template);
  });
  return template;
}
