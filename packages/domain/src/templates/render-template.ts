import { escapeHtml } from './escape-html.js';
import type { ParsedTemplate, Placeholder } from './parse-template.js';
import type { TemplateVars } from './template-variables.js';

/** `html` means that every value is escaped unless its placeholder is raw. */
export type Escaping = 'html' | 'none';

/** Fills in the variables. A variable without a value becomes empty. Check `renderedSize` first. */
export function renderTemplate(parsed: ParsedTemplate, vars: TemplateVars, escaping: Escaping): string {
  const render = valueRenderer(vars, escaping);
  let text = '';
  for (const piece of parsed) text += typeof piece === 'string' ? piece : render(piece);
  return text;
}

/** @returns the number of UTF-8 bytes that `renderTemplate` would produce, without rendering */
export function renderedSize(parsed: ParsedTemplate, vars: TemplateVars, escaping: Escaping): number {
  const render = valueRenderer(vars, escaping);
  const sizes = new Map<string, number>();
  let size = 0;
  for (const piece of parsed) size += sizeOfPiece(piece);
  return size;

  function sizeOfPiece(piece: ParsedTemplate[number]): number {
    if (typeof piece === 'string') return Buffer.byteLength(piece);
    const key = `${piece.raw} ${piece.name}`;
    const bytes = sizes.get(key) ?? Buffer.byteLength(render(piece));
    sizes.set(key, bytes);
    return bytes;
  }
}

/** A variable's value as text, or '' if it has none. Inherited properties are not values. */
export function textOf(vars: TemplateVars, name: string): string {
  return Object.hasOwn(vars, name) ? String(vars[name] ?? '') : '';
}

/** Escapes each value only once, because a template can insert the same value two thousand times. */
export function valueRenderer(vars: TemplateVars, escaping: Escaping): (placeholder: Placeholder) => string {
  const escaped = new Map<string, string>();
  return ({ name, raw }) => {
    if (raw || escaping === 'none') return textOf(vars, name);
    const text = escaped.get(name) ?? escapeHtml(textOf(vars, name));
    escaped.set(name, text);
    return text;
  };
}
