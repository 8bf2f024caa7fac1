import type { DeclaredVariable, ParsedParts, TemplateVariable } from './template.js';

/** The client's values for the placeholders of a template. null counts as missing. */
export type TemplateVars = Readonly<Record<string, string | number | boolean | null>>;

/** Names that a template uses, in order of first appearance in subject, html and text. */
export function templateVariables({ subject, html, text }: ParsedParts): string[] {
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
export function declaredVariables(variables: readonly TemplateVariable[]): TemplateVariable[] {
  return variables.filter((variable) => variable.default !== null || variable.sample !== null);
}

/** Adds the defaults of variables without a value. */
export function withDefaults(variables: readonly TemplateVariable[], vars: TemplateVars): TemplateVars {
  const used = variables.filter((variable) => variable.default !== null && !hasValue(vars, variable.name));
  if (used.length === 0) return vars;
  return { ...vars, ...Object.fromEntries(used.map((variable) => [variable.name, variable.default])) };
}

/** The variables without a value. `""`, `0` and `false` are values; null is not. */
export function missingVariables(variables: readonly TemplateVariable[], vars: TemplateVars): string[] {
  return variables.map(({ name }) => name).filter((name) => !hasValue(vars, name));
}

function hasValue(vars: TemplateVars, name: string): boolean {
  return Object.hasOwn(vars, name) && vars[name] !== null;
}
