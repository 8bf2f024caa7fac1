import { parseRecipientAddress } from '../report-fields.js';

const CONTROL_CHARACTER = /\p{Cc}/u;

export function hasControlCharacters(text: string): boolean {
  return CONTROL_CHARACTER.test(text);
}

const MAX_TEXT_CHARACTERS = 500;
const MAX_READ_CHARACTERS = 4_000;

/** On one line and shortened; null if nothing is left. */
export function shortenText(text: string): string | null {
  const line = text
    .slice(0, MAX_READ_CHARACTERS)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  const short = line.length > MAX_TEXT_CHARACTERS ? `${line.slice(0, MAX_TEXT_CHARACTERS - 1).trimEnd()}…` : line;
  return short === '' ? null : short.toWellFormed();
}

const MAX_ADDRESS_CHARACTERS = 400;

/** Without a display name and quotes, in lower case. Empty if it is not an address. */
export function toAddresses(...values: readonly unknown[]): string[] {
  const addresses = values.map((value) => {
    if (typeof value !== 'string' || value.length > MAX_ADDRESS_CHARACTERS) return null;
    const [, inBrackets] = /<([^<>]*)>\s*$/.exec(value) ?? [];
    return parseRecipientAddress(inBrackets ?? value);
  });
  return [...new Set(addresses.filter((address) => address !== null))];
}
