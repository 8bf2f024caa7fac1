import { escapeHtml } from '@posthorn/domain';

/** Markup, as opposed to text that must be escaped before it may stand in markup. */
export type Html = { readonly markup: string };

type Value = string | number | Html | readonly Html[];

/** A template literal in which every value is escaped unless it is markup itself. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { markup: String.raw({ raw: parts }, ...values.map(toMarkup)) };
}

function toMarkup(value: Value): string {
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('');
}

export const nothing: Html = { markup: '' };
