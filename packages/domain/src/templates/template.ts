import type { AuditTarget } from '@posthorn/contract';
import { type AuditedFields, summarizeText } from '@posthorn/domain/audit-log';
import { type FieldFault, invalid } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { formatCountOf, hasControlCharacters } from '@posthorn/platform/values';
import { type ParsedTemplate, parseTemplate, TemplateSyntaxError } from './parse-template.js';

/**
 * A placeholder. The default is used when an email has no value for it. The sample is only for people who write
 * templates.
 */
export type TemplateVariable = {
  readonly name: string;
  readonly default: string | null;
  readonly sample: string | null;
};

/** What an author declares about a placeholder. */
export type DeclaredVariable = Pick<TemplateVariable, 'name'> & Partial<TemplateVariable>;

/** A template as its author sees it, with the content of the current version. */
export type Template = TemplateFields & {
  id: string;
  version: number;
  /** Its placeholders, in order of first appearance in subject, html and text. */
  variables: TemplateVariable[];
  createdAt: Date;
  updatedAt: Date;
};

/** The fields that an author writes. Subject and bodies may contain `{{name}}`. */
export type TemplateFields = { name: string; subject: string; htmlBody: string; textBody: string };

/** What a request can set. Variables that are not declared have no default and no sample. */
export type TemplateInput = TemplateFields & { declared?: readonly DeclaredVariable[] };

/** The parts of a template that may contain variables. */
export type TemplateSource = Pick<TemplateFields, 'subject' | 'htmlBody' | 'textBody'>;

export type ParsedParts = {
  readonly subject: ParsedTemplate;
  readonly html: ParsedTemplate;
  readonly text: ParsedTemplate;
};

/** One immutable version, ready to be rendered. */
export type TemplateVersion = ParsedParts & Readonly<Pick<Template, 'id' | 'version' | 'variables'>>;

/** @throws Refusal validation_failed with the position of the first fault in each part */
export function parseParts({ subject, htmlBody, textBody }: TemplateSource): ParsedParts {
  const faults: FieldFault[] = [];
  const parts = {
    subject: parsePart('subject', subject, faults),
    html: parsePart('html_body', htmlBody, faults),
    text: parsePart('text_body', textBody, faults),
  };
  const variables = listTemplateVariables(parts).length;
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

/** The client's values for the placeholders of a template. null counts as missing. */
export type TemplateVars = Readonly<Record<string, string | number | boolean | null>>;

/** Names that a template uses, in order of first appearance in subject, html and text. */
export function listTemplateVariables({ subject, html, text }: ParsedParts): string[] {
  const pieces = [subject, html, text].flat();
  return [...new Set(pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.name])))];
}

/** Every placeholder with what is declared about it. Declarations of other names are left out. */
export function describeVariables(names: readonly string[], declared: readonly DeclaredVariable[]): TemplateVariable[] {
  const byName = new Map(declared.map((variable) => [variable.name, variable]));
  return names.map((name) => {
    const { default: value = null, sample = null } = byName.get(name) ?? {};
    return { name, default: value, sample };
  });
}

/** The variables that have a default or a sample. */
export function listDeclaredVariables(variables: readonly TemplateVariable[]): TemplateVariable[] {
  return variables.filter((variable) => variable.default !== null || variable.sample !== null);
}

/** Adds the defaults of variables without a value. */
export function withDefaults(variables: readonly TemplateVariable[], vars: TemplateVars): TemplateVars {
  const used = variables.filter((variable) => variable.default !== null && !hasValue(vars, variable.name));
  if (used.length === 0) return vars;
  return { ...vars, ...Object.fromEntries(used.map((variable) => [variable.name, variable.default])) };
}

/** The variables without a value. `""`, `0` and `false` are values; null is not. */
export function listMissingVariables(variables: readonly TemplateVariable[], vars: TemplateVars): string[] {
  return variables.map(({ name }) => name).filter((name) => !hasValue(vars, name));
}

function hasValue(vars: TemplateVars, name: string): boolean {
  return Object.hasOwn(vars, name) && vars[name] !== null;
}

/**
 * @returns all placeholders of the template, with what the author declares about them
 * @throws Refusal validation_failed for a name the template does not use, or a default that its subject cannot contain
 */
export function declareVariables(parts: ParsedParts, declared: readonly DeclaredVariable[]): TemplateVariable[] {
  const names = listTemplateVariables(parts);
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

/** What a version counts as in the storage of its workspace (schema/tables/storage.ts), within a few bytes. */
export function measureTemplateBytes({ subject, htmlBody, textBody, variables }: Template): number {
  const texts = [subject, htmlBody, textBody, JSON.stringify(listDeclaredVariables(variables))];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 1_000);
}

/** What the audit log says about a template. It does not contain the bodies, which can have megabytes. */
export function describeTemplate({ name, subject, htmlBody, textBody, variables, version }: Template): AuditedFields {
  const declared = listDeclaredVariables(variables);
  return {
    name,
    subject,
    html_body: summarizeText(htmlBody),
    text_body: summarizeText(textBody),
    variables: { value: JSON.stringify(declared), summary: formatCountOf(declared.length, 'declared variable') },
    version,
  };
}

export function toTemplateTarget({ id, name }: Pick<Template, 'id' | 'name'>): AuditTarget {
  return { type: 'template', id, label: name };
}
