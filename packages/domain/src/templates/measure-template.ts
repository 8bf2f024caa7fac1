import { addMeasure, measureText, type TextMeasure } from '@posthorn/domain/format';
import type { ParsedTemplate } from './parse-template.js';
import { type Escaping, valueRenderer } from './render-template.js';
import type { TemplateVars } from './template-variables.js';

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
