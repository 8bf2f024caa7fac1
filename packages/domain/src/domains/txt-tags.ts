import { type RecordEvaluation, wrong } from './sending-domain.js';

/** A tag's name begins with a letter; its value may be empty (RFC 6376, 3.2). */
const TAG = /^\s*([a-z]\w*)\s*=(.*)$/is;

type TagList = { readonly tags: ReadonlyMap<string, string> } | { readonly fault: string };

/**
 * Reads the tags of a DKIM or DMARC record (RFC 6376, 3.2), such as `a=1; b=2`, in order. Names are case-sensitive;
 * white space around names and values is ignored.
 * @returns the tags, or a sentence about the fault that makes receivers reject the whole list
 */
export function parseTxtTags(text: string): TagList {
  const parts = text.split(';');
  // The list may end with a semicolon.
  if (parts.length > 1 && parts.at(-1)?.trim() === '') parts.pop();
  const tags = new Map<string, string>();
  for (const part of parts) {
    const [, name, value] = TAG.exec(part) ?? [];
    if (name === undefined || value === undefined)
      return { fault: 'It has a part that is not a tag of the form name=value.' };
    if (tags.has(name)) return { fault: `The ${name}= tag appears twice, which makes it invalid. Keep only one.` };
    tags.set(name, value.trim());
  }
  return { tags };
}

/** Quotes around a value or between its strings that a DNS panel stored as part of the value. */
const QUOTES = /^\s*["']|"\s*"|["']\s*$/;

/** A zone file may need a backslash before a semicolon; a DNS panel stores it as part of the value. */
export const storedBackslashes: RecordEvaluation = wrong(
  'Its semicolons are stored with backslashes, so receivers cannot read it. Paste the value without backslashes.',
);

export function hasStoredBackslashes(value: string): boolean {
  return value.includes('\\;');
}

export const storedQuotes: RecordEvaluation = wrong(
  'The quotes are stored as part of the value, so receivers cannot read it. Paste the value without quotes.',
);

/** Receivers do not remove the quotes from such a value. */
export function hasStoredQuotes(value: string): boolean {
  return QUOTES.test(value);
}
