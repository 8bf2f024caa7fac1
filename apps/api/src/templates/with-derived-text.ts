import type { CreateTemplateRequest, TemplateTexts, UpdateTemplateRequest } from '@posthorn/contract';
import { invalid } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { TemplateSyntaxError } from '@posthorn/domain/templates';
import { formatCount } from '@posthorn/platform/values';
import type { ApiContext } from '../context.js';
import { type HiddenPlaceholders, hidePlaceholders } from './hide-placeholders.js';

/**
 * Generates `text_body` from `html_body` if the request asks for it.
 * @throws Refusal validation_failed if that is not possible
 */
export async function withDerivedText<Body extends CreateTemplateRequest | UpdateTemplateRequest>(
  { textWriter }: Pick<ApiContext, 'textWriter'>,
  { text_from_html: isDerived = false, ...body }: Body,
): Promise<Omit<Body, 'text_from_html' | 'text_body'> & Pick<TemplateTexts, 'text_body'>> {
  if (!isDerived) return body as never;
  const { html_body: html, text_body: text } = body;
  if (text !== undefined) throw refuse('text_body', 'cannot be combined with text_from_html, which generates it');
  if (html === undefined) throw refuse('text_from_html', 'requires html_body, because the text is generated from it');
  const { max } = limits.derivedText;
  if (html.length > max)
    throw refuse(
      'text_from_html',
      `supports an html_body of up to ${formatCount(max)} characters; this one has ${formatCount(html.length)}. Write text_body yourself`,
    );
  const hidden = hideOrRefuse(html);
  const derived = hidden.restore(await textWriter.run({ html: hidden.html })).trim();
  if (derived === '') throw refuse('text_from_html', 'finds no text in html_body. Write text_body yourself');
  return { ...body, text_body: derived } as never;
}

function hideOrRefuse(html: string): HiddenPlaceholders {
  try {
    return hidePlaceholders(html);
  } catch (error) {
    throw error instanceof TemplateSyntaxError ? refuse('html_body', error.message) : error;
  }
}

function refuse(field: string, message: string): Error {
  return invalid({ field, message });
}
