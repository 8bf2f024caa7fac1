import { type FieldFault, invalid } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { formatCount, hasControlCharacters } from '@posthorn/platform/values';
import type { ParsedTemplate } from './parse-template.js';
import { renderedSize, renderTemplate, textOf } from './render-template.js';
import type { TemplateVars } from './template-variables.js';

const MAX_BYTES_PER_CHARACTER = 4;

/** @throws Refusal validation_failed, which names the variables that contain control characters or gives the length */
export function renderSubject(parsed: ParsedTemplate, vars: TemplateVars): string {
  const faults = controlFaults(parsed, vars);
  if (faults.length > 0) throw invalid(...faults);
  // A character takes at most four bytes, so a subject with more bytes than the limit allows need not be rendered.
  const size = renderedSize(parsed, vars, 'none');
  const subject = size > limits.subject.max * MAX_BYTES_PER_CHARACTER ? null : renderTemplate(parsed, vars, 'none');
  if (subject !== null && subject.length <= limits.subject.max) return subject;
  const length = subject === null ? `${formatCount(size)} bytes` : `${formatCount(subject.length)} characters`;
  throw invalid({
    field: 'template_vars',
    message: `make the subject ${length} long; the limit is ${limits.subject.max} characters. Use shorter values`,
  });
}

function controlFaults(parsed: ParsedTemplate, vars: TemplateVars): FieldFault[] {
  const names = new Set(parsed.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.name])));
  return [...names]
    .filter((name) => hasControlCharacters(textOf(vars, name)))
    .map((name) => ({
      field: `template_vars.${name}`,
      message: 'is used in the subject, so it must not contain line breaks or other control characters',
    }));
}
