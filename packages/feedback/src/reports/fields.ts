/** Fields of one block, by their names in lower case. A name may occur more than once. */
export type Fields = { get(name: string): string | null; all(name: string): readonly string[] };

/**
 * Reads blocks of `Name: value` lines that are separated by blank lines, such as message/delivery-status (RFC 3464, 2.1)
 * and message/feedback-report (RFC 5965, 3). Lines that begin with white space continue the field before them.
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
    const [, name, value] = /^([!-9;-~]+)[ \t]*:(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const known = values.get(name.toLowerCase());
    if (known) known.push(value.trim());
    else values.set(name.toLowerCase(), [value.trim()]);
  }
  if (values.size === 0) return null;
  const all = (name: string) => values.get(name) ?? [];
  return { get: (name) => all(name)[0] ?? null, all };
}
