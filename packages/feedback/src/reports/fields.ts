/** Fields of one block, by their names in lower case. A name may occur more than once. */
export type Fields = { get(name: string): string | null; all(name: string): readonly string[] };

/** No value that we use is longer, and some of the patterns that read values take quadratic time. */
const MAX_VALUE_CHARACTERS = 2_000;

/**
 * Reads blocks of `Name: value` lines that are separated by blank lines, such as message/delivery-status (RFC 3464, 2.1)
 * and message/feedback-report (RFC 5965, 3). Lines that begin with white space continue the field before them. Values
 * are cut after 2,000 characters.
 */
export function parseFieldBlocks(text: string): Fields[] {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n/)
    .map(parseFields)
    .filter((fields) => fields !== null);
}

function parseFields(block: string): Fields | null {
  const values = new Map<string, string[]>();
  const unfolded = block.replace(/\n[ \t]+/g, ' ');
  for (const line of unfolded.split('\n')) {
    const [, name, value] = /^([!-9;-~]+)[ \t]*:(.*)$/s.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const cut = value.trim().slice(0, MAX_VALUE_CHARACTERS);
    const known = values.get(name.toLowerCase());
    if (known) known.push(cut);
    else values.set(name.toLowerCase(), [cut]);
  }
  if (values.size === 0) return null;
  const all = (name: string) => values.get(name) ?? [];
  return { get: (name) => all(name)[0] ?? null, all };
}
