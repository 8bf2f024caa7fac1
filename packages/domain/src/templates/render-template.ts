import { type FieldFault, invalid } from '@posthorn/domain/errors';
import { addMeasure, measureText, type TextMeasure } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import { formatCount, hasControlCharacters } from '@posthorn/platform/values';
import type { ParsedTemplate, Placeholder } from './parse-template.js';
import type { ParsedParts, TemplateVars } from './template.js';

/** `html` means that every value is escaped unless its placeholder is raw. */
type Escaping = 'html' | 'none';

/** Fills in the variables. A variable without a value becomes empty. Check `measureRendered` first. */
export function renderTemplate(parsed: ParsedTemplate, vars: TemplateVars, escaping: Escaping): string {
  const render = valueRenderer(vars, escaping);
  let text = '';
  for (const piece of parsed) text += typeof piece === 'string' ? piece : render(piece);
  return text;
}

/** @returns the number of UTF-8 bytes that `renderTemplate` would produce, without rendering */
export function measureRendered(parsed: ParsedTemplate, vars: TemplateVars, escaping: Escaping): number {
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
function toValueText(vars: TemplateVars, name: string): string {
  return Object.hasOwn(vars, name) ? String(vars[name] ?? '') : '';
}

/** Escapes each value only once, because a template can insert the same value two thousand times. */
function valueRenderer(vars: TemplateVars, escaping: Escaping): (placeholder: Placeholder) => string {
  const escaped = new Map<string, string>();
  return ({ name, raw }) => {
    if (raw || escaping === 'none') return toValueText(vars, name);
    const text = escaped.get(name) ?? escapeHtml(toValueText(vars, name));
    escaped.set(name, text);
    return text;
  };
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Makes text safe between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** The html and text of an accepted email. Its subject was rendered when the email was accepted. */
export function renderContent(
  template: Pick<ParsedParts, 'html' | 'text'>,
  vars: TemplateVars,
): { html: string; text: string } {
  return { html: renderTemplate(template.html, vars, 'html'), text: renderTemplate(template.text, vars, 'none') };
}

/**
 * A small template can repeat a value two thousand times, so the size is calculated before memory is allocated.
 * @returns the bytes of html and text together
 * @throws Refusal validation_failed
 */
export function assertContentSize(template: Pick<ParsedParts, 'html' | 'text'>, vars: TemplateVars): number {
  const sizes = [
    { part: 'html_body', size: measureRendered(template.html, vars, 'html'), max: limits.html.max },
    { part: 'text_body', size: measureRendered(template.text, vars, 'none'), max: limits.text.max },
  ];
  const faults = sizes
    .filter(({ size, max }) => size > max)
    .map(({ part, size, max }) => ({
      field: 'template_vars',
      message: `make ${part} ${formatCount(size)} bytes long; the limit is ${formatCount(max)}. Use shorter values`,
    }));
  if (faults.length > 0) throw invalid(...faults);
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

const MAX_BYTES_PER_CHARACTER = 4;

/** @throws Refusal validation_failed, which names the variables that contain control characters or gives the length */
export function renderSubject(parsed: ParsedTemplate, vars: TemplateVars): string {
  const faults = controlFaults(parsed, vars);
  if (faults.length > 0) throw invalid(...faults);
  // A character takes at most four bytes, so a subject with more bytes than the limit allows need not be rendered.
  const size = measureRendered(parsed, vars, 'none');
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
    .filter((name) => hasControlCharacters(toValueText(vars, name)))
    .map((name) => ({
      field: `template_vars.${name}`,
      message: 'is used in the subject, so it must not contain line breaks or other control characters',
    }));
}

const NOTHING: TextMeasure = { bytes: 0, special: 0, escaped: 0, uncertain: 0 };

/** The literal text of templates. A batch may use the same large template a hundred times. */
const literals = new WeakMap<ParsedTemplate, TextMeasure>();

/** Measures what `renderTemplate` would produce, without rendering it. Each value is measured once. */
export function measureTemplate(parsed: ParsedTemplate, vars: TemplateVars, escaping: Escaping): TextMeasure {
  const render = valueRenderer(vars, escaping);
  const values = new Map<string, { text: string; times: number }>();
  for (const piece of parsed) {
    if (typeof piece === 'string') continue;
    const key = `${piece.raw} ${piece.name}`;
    const value = values.get(key) ?? { text: render(piece), times: 0 };
    value.times += 1;
    values.set(key, value);
  }
  let sum = measureLiterals(parsed);
  for (const { text, times } of values.values()) sum = addMeasure(sum, measureText(text), times);
  return sum;
}

function measureLiterals(parsed: ParsedTemplate): TextMeasure {
  const known = literals.get(parsed);
  if (known) return known;
  let sum = NOTHING;
  for (const piece of parsed) if (typeof piece === 'string') sum = addMeasure(sum, measureText(piece));
  literals.set(parsed, sum);
  return sum;
}
