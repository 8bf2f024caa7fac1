import { limits } from '../limits.js';
import { hasHiddenCharacters } from './unsafe-characters.js';

/** Characters that a name without quotes must not hold: to RFC 5322 they are more than text. */
const NEEDS_QUOTES = /[()[\]:;\\"]/;

/** RFC 5322, 3.2.3: specials. A name is shown in quotes as soon as any mail program wants them. */
const SPECIALS = /[()<>[\]:;@\\,."]/;

/** Quoted text in which a backslash stands before a quote or a backslash, and nowhere else. */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

/** What makes a heart red instead of black: hidden, but a part of the sign before it. */
const EMOJI_STYLE = /(\p{Extended_Pictographic})\ufe0f/gu;

/**
 * The name in front of `<`: in NFC, without spaces round it, null when it is empty.
 * @returns the name, or what is wrong with it as the rest of a sentence about the address
 */
export function parseDisplayName(text: string): { name: string | null } | { fault: string } {
  if (hasHiddenCharacters(text.replace(EMOJI_STYLE, '$1'))) {
    return { fault: 'has a name with control characters or others that cannot be seen; leave them out' };
  }
  const typed = text.trim();
  const plain = typed.startsWith('"') ? unquote(typed) : typed;
  if (plain === null) {
    return { fault: 'has a name whose quotes do not match; write "Name" <address>, with \\" for a quote within' };
  }
  const name = plain.normalize('NFC').trim();
  if (!typed.startsWith('"') && NEEDS_QUOTES.test(name)) {
    return { fault: 'needs quotes round its name: one of ( ) [ ] : ; " or a backslash is in it' };
  }
  const fault = nameFault(name);
  return fault === null ? { name: name === '' ? null : name } : { fault };
}

/** A name in quotes where it needs them, as in `"Doe, Jane"`. */
export function formatDisplayName(name: string): string {
  return SPECIALS.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name;
}

function unquote(typed: string): string | null {
  const quoted = QUOTED.exec(typed)?.[1];
  return quoted === undefined ? null : quoted.replace(/\\(["\\])/g, '$1');
}

function nameFault(name: string): string | null {
  // Mail programs show the name and hide the address: "ceo@bank.example" <a@b.example> would pass for the former.
  if (/[@<>]/.test(name.normalize('NFKC'))) {
    return 'has a name with @, < or > in it, which could pass for another address';
  }
  if (name.includes('=?')) {
    return 'has a name with =? in it, which mail programs would decode; write it in plain Unicode';
  }
  const length = [...name].length;
  const { max } = limits.displayName;
  return length > max ? `has a name of ${length} characters, the most is ${max}` : null;
}
