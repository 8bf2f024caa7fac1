/** Each start matches up to its end or that of the text, so that many starts without an end cost no more than one. */
const HIDDEN = /<!--[\s\S]*?(?:-->|$)|<(style|script|title|head)(?=[\s>])[^<>]*>[\s\S]*?(?:<\/\1(?=[\s>])[^<>]*>|$)/gi;
/** Where a line ends on the screen. */
const BREAKS = /<(?:br|hr|\/?(?:p|div|tr|table|ul|ol|li|h[1-6]|pre|blockquote|td|th))(?=[\s/>])[^<>]*>/gi;
/** Not an address in angle brackets, which some servers do not escape. */
const TAG = /<\/?[a-z!](?![^\s<>"'=]*@)[^<>]*>/gi;
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi;

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', amp: '&' };

/** Reads the text of a bounce that has no other part, with the lines as a person sees them. */
export function toText(html: string): string {
  const text = html
    .replace(HIDDEN, ' ')
    .replace(/\s+/g, ' ')
    .replace(BREAKS, '\n')
    .replace(TAG, '')
    .replace(ENTITY, (all, decimal, hex, name) => {
      if (name) return ENTITIES[name.toLowerCase()] ?? all;
      return toCharacter(decimal ? Number(decimal) : Number.parseInt(hex, 16)) ?? all;
    });
  return text
    .split('\n')
    .map((line) => line.trim())
    .join('\n');
}

function toCharacter(code: number): string | null {
  return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : null;
}
