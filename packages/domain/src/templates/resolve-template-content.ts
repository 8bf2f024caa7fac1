import { Refusal } from '../errors.js';
import { limits } from '../limits.js';
import { type CurrentTemplateReader, findCurrentTemplate } from './find-template-version.js';
import { assertContentSize } from './render-content.js';
import { renderSubject } from './render-subject.js';
import type { TemplateVars } from './template-variables.js';
import { missingVariables } from './template-variables.js';

/** What an accepted email stores from its template. */
export type TemplateContent = {
  readonly template: { readonly id: string; readonly version: number };
  readonly subject: string;
};

/**
 * Pins the current version and renders the subject. For html and text, only the size is checked, because the worker
 * renders them with `renderContent`.
 * @throws Refusal template_not_found, missing_template_variables, validation_failed
 */
export async function resolveTemplateContent(
  ctx: CurrentTemplateReader,
  workspaceId: string,
  templateId: string,
  vars: TemplateVars,
): Promise<TemplateContent> {
  const template = await findCurrentTemplate(ctx, workspaceId, templateId);
  const missing = missingVariables(template.variables, vars);
  if (missing.length > 0) throw missingRefusal(missing);
  assertContentSize(template, vars);
  return { template: { id: template.id, version: template.version }, subject: renderSubject(template.subject, vars) };
}

function missingRefusal(names: readonly string[]): Refusal {
  const faults = names.slice(0, limits.faults.max).map((name) => ({
    field: `template_vars.${name}`,
    message: 'is required by the template',
  }));
  return new Refusal('missing_template_variables', { names }).with({ faults });
}
