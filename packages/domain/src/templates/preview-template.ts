import type { TemplateVars } from '../emails/email.js';
import { parseParts } from './parse-parts.js';
import { assertContentSize, renderContent } from './render-content.js';
import { renderSubject } from './render-subject.js';
import type { Template } from './template.js';
import { missingVariables } from './template-variables.js';

export type Preview = { subject: string; html: string; text: string; missing: string[] };

/**
 * The template filled in as an email would be, but for missing variables: they are left out and named.
 * @throws Refusal validation_failed as for an email
 */
export function previewTemplate(template: Template, vars: TemplateVars): Preview {
  const parts = parseParts(template);
  assertContentSize(parts, vars);
  return {
    subject: renderSubject(parts.subject, vars),
    ...renderContent(parts, vars),
    missing: missingVariables(template.variables, vars),
  };
}
