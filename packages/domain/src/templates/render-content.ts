import { invalid } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { formatCount } from '@posthorn/platform/values';
import { renderedSize, renderTemplate } from './render-template.js';
import type { ParsedParts } from './template.js';
import type { TemplateVars } from './template-variables.js';

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
    { part: 'html_body', size: renderedSize(template.html, vars, 'html'), max: limits.html.max },
    { part: 'text_body', size: renderedSize(template.text, vars, 'none'), max: limits.text.max },
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
