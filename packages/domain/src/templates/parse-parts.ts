import { type FieldFault, invalid } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { type ParsedTemplate, parseTemplate, TemplateSyntaxError } from './parse-template.js';
import type { ParsedParts, TemplateSource } from './template.js';
import { templateVariables } from './template-variables.js';

/** @throws Refusal validation_failed with the position of the first fault in each part */
export function parseParts({ subject, htmlBody, textBody }: TemplateSource): ParsedParts {
  const faults: FieldFault[] = [];
  const parts = {
    subject: parsePart('subject', subject, faults),
    html: parsePart('html_body', htmlBody, faults),
    text: parsePart('text_body', textBody, faults),
  };
  const variables = templateVariables(parts).length;
  if (variables > limits.templateVars.max) {
    const message = `brings the template to ${variables} variables; the limit is ${limits.templateVars.max}. Use fewer`;
    faults.push({ field: 'html_body', message });
  }
  if (faults.length > 0) throw invalid(...faults);
  return parts;
}

function parsePart(field: string, source: string, faults: FieldFault[]): ParsedTemplate {
  try {
    return parseTemplate(source);
  } catch (error) {
    if (!(error instanceof TemplateSyntaxError)) throw error;
    faults.push({ field, message: error.message });
    return [];
  }
}
