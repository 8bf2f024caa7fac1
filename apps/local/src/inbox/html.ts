import { escapeHtml } from '@posthorn/domain';

/** Markup that is safe to send. Plain strings are escaped before they become part of it. */
export type Html = { readonly markup: string };

type Value = string | number | Html | readonly Html[];

/** A template tag that escapes every value except `Html`. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { markup: String.raw({ raw: parts }, ...values.map(toMarkup)) };
}

function toMarkup(value: Value): string {
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('');
}

export const nothing: Html = { markup: '' };
