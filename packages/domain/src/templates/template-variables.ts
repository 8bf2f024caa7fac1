import type { ParsedParts } from './template.js';

/** The client's values for the placeholders of a template. null counts as missing. */
export type TemplateVars = Readonly<Record<string, string | number | boolean | null>>;

/** Names that a template uses, in order of first appearance in subject, html and text. */
export function templateVariables({ subject, html, text }: ParsedParts): string[] {
  const pieces = [subject, html, text].flat();
  return [...new Set(pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.name])))];
}

/** The variables without a value. `""`, `0` and `false` are values; null is not. */
export function missingVariables(variables: readonly string[], vars: TemplateVars): string[] {
  return variables.filter((name) => !Object.hasOwn(vars, name) || vars[name] === null);
}
