import { type CurrentTemplateReader, findCurrentTemplate } from './find-template-version.js';
import { assertContentSize, renderContent, renderSubject } from './render-template.js';
import {
  declareVariables,
  listMissingVariables,
  type ParsedParts,
  parseParts,
  type Template,
  type TemplateInput,
  type TemplateSource,
  type TemplateVariable,
  type TemplateVars,
  withDefaults,
} from './template.js';

/** `variables` contains the names of all placeholders, and `missing` those without a value or a default. */
export type Preview = { subject: string; html: string; text: string; missing: string[]; variables: string[] };

/**
 * Renders a template as it would be rendered for an email. Missing variables are not an error here: they are left empty
 * and listed in `missing`.
 * @throws Refusal validation_failed, as when an email is sent
 */
export function previewTemplate(template: Template, vars: TemplateVars): Preview {
  return previewParts(parseParts(template), template.variables, vars);
}

/** Renders content that is not saved. @throws Refusal validation_failed, as when a template is saved */
export function previewTexts({ declared = [], ...source }: UnsavedTexts, vars: TemplateVars): Preview {
  const parts = parseParts(source);
  return previewParts(parts, declareVariables(parts, declared), vars);
}

type UnsavedTexts = TemplateSource & Pick<TemplateInput, 'declared'>;

/**
 * Renders the current version of a template.
 * @returns also what it was rendered from
 * @throws Refusal template_not_found, validation_failed
 */
export async function previewCurrentTemplate(
  ctx: CurrentTemplateReader,
  workspaceId: string,
  { id, vars }: { id: string; vars: TemplateVars },
): Promise<Preview & { source: { parts: ParsedParts; vars: TemplateVars } }> {
  const template = await findCurrentTemplate(ctx, workspaceId, id);
  const source = { parts: template, vars: withDefaults(template.variables, vars) };
  return { ...previewParts(template, template.variables, vars), source };
}

function previewParts(parts: ParsedParts, variables: readonly TemplateVariable[], given: TemplateVars): Preview {
  const vars = withDefaults(variables, given);
  assertContentSize(parts, vars);
  return {
    subject: renderSubject(parts.subject, vars),
    ...renderContent(parts, vars),
    missing: listMissingVariables(variables, vars),
    variables: variables.map(({ name }) => name),
  };
}
