import { limits } from '@posthorn/domain/limits';
import { hasHiddenCharacters } from '@posthorn/platform/values';

/** Characters that a name must not contain outside quotes, because they have a meaning in RFC 5322. */
const NEEDS_QUOTES = /[()[\]:;\\"]/;

/**
 * The specials of RFC 5322, 3.2.3. A name that contains one of them is quoted, because some mail programs need the
 * quotes.
 */
const SPECIALS = /[()<>[\]:;@\\,."]/;

/** Quoted text in which a backslash may come only before a quote or another backslash. */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

/**
 * An emoji with a variation selector, which makes a heart red instead of black, for example. The selector is the only
 * hidden character that is allowed.
 */
const EMOJI_STYLE = /(\p{Extended_Pictographic})\ufe0f/gu;

/**
 * Parses the name before `<`. The result is trimmed and in NFC, or null if the name is empty.
 * @returns the name, or a fault that completes a sentence about the address
 */
export function parseDisplayName(text: string): { name: string | null } | { fault: string } {
  if (hasHiddenCharacters(text.replace(EMOJI_STYLE, '$1'))) {
    return { fault: 'has a name with control or other invisible characters. Remove them' };
  }
  const typed = text.trim();
  const plain = typed.startsWith('"') ? unquote(typed) : typed;
  if (plain === null) {
    return { fault: 'has a name whose quotes do not match. Write "Name" <address>, with \\" for a quote in the name' };
  }
  const name = plain.normalize('NFC').trim();
  if (!typed.startsWith('"') && NEEDS_QUOTES.test(name)) {
    return { fault: 'needs quotes around the name, because it contains one of ( ) [ ] : ; " or a backslash' };
  }
  const fault = nameFault(name);
  return fault === null ? { name: name === '' ? null : name } : { fault };
}

/** Quotes the name if it needs quotes, as in `"Doe, Jane"`. */
export function formatDisplayName(name: string): string {
  return SPECIALS.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name;
}

function unquote(typed: string): string | null {
  const quoted = QUOTED.exec(typed)?.[1];
  return quoted === undefined ? null : quoted.replace(/\\(["\\])/g, '$1');
}

function nameFault(name: string): string | null {
  // Mail programs show the name and hide the address, so readers would trust "ceo@bank.example" <a@b.example>.
  if (/[@<>]/.test(name.normalize('NFKC'))) {
    return 'has a name with @, < or >, which readers could mistake for the address. Remove it from the name';
  }
  if (name.includes('=?')) {
    return 'has a name with =?, which mail programs would decode. Write the name in plain Unicode';
  }
  const length = [...name].length;
  const { max } = limits.displayName;
  return length > max ? `has a name of ${length} characters; the limit is ${max}` : null;
}
