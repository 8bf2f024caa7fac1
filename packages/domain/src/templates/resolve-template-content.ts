import { Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { type CurrentTemplateReader, findCurrentTemplate } from './find-template-version.js';
import { assertContentSize, renderSubject } from './render-template.js';
import { listMissingVariables, type ParsedParts, type TemplateVars, withDefaults } from './template.js';

/** The content of an email that uses a template. */
type TemplateContent = {
  readonly template: { readonly id: string; readonly version: number };
  readonly subject: string;
  /** The values of the request, and the defaults of the pinned version for the others. */
  readonly vars: TemplateVars;
  /** What the worker renders with these variables. */
  readonly parts: Pick<ParsedParts, 'html' | 'text'>;
  /** Of the rendered html and text together. */
  readonly bytes: number;
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
  given: TemplateVars,
): Promise<TemplateContent> {
  const template = await findCurrentTemplate(ctx, workspaceId, templateId);
  const vars = withDefaults(template.variables, given);
  const missing = listMissingVariables(template.variables, vars);
  if (missing.length > 0) throw missingRefusal(missing);
  const bytes = assertContentSize(template, vars);
  const subject = renderSubject(template.subject, vars);
  return { template: { id: template.id, version: template.version }, subject, vars, parts: template, bytes };
}

function missingRefusal(names: readonly string[]): Refusal {
  const faults = names.slice(0, limits.faults.max).map((name) => ({
    field: `template_vars.${name}`,
    message: 'is required by the template',
  }));
  return new Refusal('missing_template_variables', { names }).with({ faults });
}
