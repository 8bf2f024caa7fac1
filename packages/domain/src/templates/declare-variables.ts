import { type FieldFault, invalid } from '@posthorn/domain/errors';
import { hasControlCharacters } from '@posthorn/platform/values';
import type { DeclaredVariable, ParsedParts, TemplateVariable } from './template.js';
import { describeVariables, templateVariables } from './template-variables.js';

/**
 * @returns all placeholders of the template, with what the author declares about them
 * @throws Refusal validation_failed for a name the template does not use, or a default that its subject cannot contain
 */
export function declareVariables(parts: ParsedParts, declared: readonly DeclaredVariable[]): TemplateVariable[] {
  const names = templateVariables(parts);
  const inSubject = parts.subject.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.name]));
  const faults = declared.flatMap((variable, index): FieldFault[] => {
    const { name } = variable;
    if (!names.includes(name)) {
      const message = `is "${name}", which the template does not use. Add {{${name}}} to the template, or remove it from variables`;
      return [{ field: `variables[${index}].name`, message }];
    }
    if (!inSubject.includes(name) || !hasControlCharacters(variable.default ?? '')) return [];
    const message = 'is used in the subject, so it must not contain line breaks or other control characters';
    return [{ field: `variables[${index}].default`, message }];
  });
  if (faults.length > 0) throw invalid(...faults);
  return describeVariables(names, declared);
}
