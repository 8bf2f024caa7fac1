import { randomUUID } from 'node:crypto';
import type { CreateTemplateRequest, TemplateTexts, UpdateTemplateRequest } from '@posthorn/contract';
import { invalid } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { replacePlaceholders, TemplateSyntaxError } from '@posthorn/domain/templates';
import { formatCount } from '@posthorn/platform/values';
import type { ApiContext } from '../context/api-context.js';

/**
 * Generates `text_body` from `html_body` if the request asks for it.
 * @throws Refusal validation_failed if that is not possible
 */
export async function withDerivedText<Body extends CreateTemplateRequest | UpdateTemplateRequest>(
  { threads }: Pick<ApiContext, 'threads'>,
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
  const derived = hidden.restore(await threads.texts.run({ html: hidden.html })).trim();
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

type HiddenPlaceholders = {
  /** The HTML with a token for each placeholder. */
  readonly html: string;
  /** Puts the placeholders into the text generated from that HTML. */
  restore(text: string): string;
};

/**
 * Hides the placeholders of a template while its text is generated, because entities are decoded even inside
 * placeholders: `{{&notes}}` would become `{{¬es}}`. Equal placeholders get equal tokens, so that a link whose text is
 * its address is still recognized.
 * @throws TemplateSyntaxError if the HTML is not a valid template
 */
function hidePlaceholders(html: string): HiddenPlaceholders {
  // The document cannot contain a token, because the id is random.
  const id = randomUUID();
  const tokens = new Map<string, string>();

  function tokenFor(tag: string): string {
    const token = tokens.get(tag) ?? `{${id}:${tokens.size}}`;
    tokens.set(tag, token);
    return token;
  }

  const hidden = replacePlaceholders(html, tokenFor);
  const tags = new Map([...tokens].map(([tag, token]) => [token, tag]));
  const token = new RegExp(`\\{${id}:\\d+\\}`, 'g');
  return {
    html: hidden,
    restore: (text) => separateBraces(text).replace(token, (found) => tags.get(found) ?? found),
  };
}

/**
 * Entities such as `&#123;` are literal braces, but templates cannot contain two literal opening braces in a row. A space
 * keeps them from being read as a placeholder. Tokens start with a brace, so they are separated from a literal brace
 * too.
 */
function separateBraces(text: string): string {
  return text.replace(/\{(?=\{)/g, '{ ');
}
