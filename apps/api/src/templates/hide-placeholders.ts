import { randomUUID } from 'node:crypto';
import { replacePlaceholders } from '@posthorn/domain/templates';

export type HiddenPlaceholders = {
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
export function hidePlaceholders(html: string): HiddenPlaceholders {
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
