import { escapeHtml } from './escape-html.js';
import type { ParsedTemplate, Placeholder } from './parse-template.js';
import type { TemplateVars } from './template-variables.js';

/** `html` escapes every value whose placeholder is not raw. */
export type Escaping = 'html' | 'none';

/** Fills variables in; one without a value leaves nothing. Check `renderedSize` first. */
export function renderTemplate(parsed: ParsedTemplate, vars: TemplateVars, escaping: Escaping): string {
  let text = '';
  for (const piece of parsed) text += typeof piece === 'string' ? piece : renderValue(piece, vars, escaping);
  return text;
}

/** @returns bytes of UTF-8 that `renderTemplate` would make, without making them */
export function renderedSize(parsed: ParsedTemplate, vars: TemplateVars, escaping: Escaping): number {
  const known = new Map<string, number>();
  let size = 0;
  for (const piece of parsed) size += sizeOfPiece(piece);
  return size;

  function sizeOfPiece(piece: ParsedTemplate[number]): number {
    if (typeof piece === 'string') return Buffer.byteLength(piece);
    const key = `${piece.raw} ${piece.name}`;
    const bytes = known.get(key) ?? Buffer.byteLength(renderValue(piece, vars, escaping));
    known.set(key, bytes);
    return bytes;
  }
}

/** A variable's own value as text, '' when it has none; what an object inherits is never looked at. */
export function textOf(vars: TemplateVars, name: string): string {
  return Object.hasOwn(vars, name) ? String(vars[name] ?? '') : '';
}

function renderValue({ name, raw }: Placeholder, vars: TemplateVars, escaping: Escaping): string {
  const text = textOf(vars, name);
  return escaping === 'html' && !raw ? escapeHtml(text) : text;
}
