import { parseParts } from './parse-parts.js';
import { assertContentSize, renderContent } from './render-content.js';
import { renderSubject } from './render-subject.js';
import type { TemplateSource } from './template.js';
import type { TemplateVars } from './template-variables.js';
import { missingVariables, templateVariables } from './template-variables.js';

/** `variables`: names of all placeholders; `missing`: those of them without a value. */
export type Preview = { subject: string; html: string; text: string; missing: string[]; variables: string[] };

/**
 * A template's texts, saved or not, filled in as an email would be, but for missing variables: they
 * are left out and named.
 * @throws Refusal validation_failed as for saving a template, and as for an email
 */
export function previewTemplate(source: TemplateSource, vars: TemplateVars): Preview {
  const parts = parseParts(source);
  assertContentSize(parts, vars);
  const variables = templateVariables(parts);
  return {
    subject: renderSubject(parts.subject, vars),
    ...renderContent(parts, vars),
    missing: missingVariables(variables, vars),
    variables,
  };
}
