/** RFC 6376, 3.2: the name of a tag begins with a letter; its value may be empty. */
const TAG = /^\s*([a-z]\w*)\s*=(.*)$/is;

export type TagList = { readonly tags: ReadonlyMap<string, string> } | { readonly fault: string };

/**
 * The tags of a DKIM key or DMARC record (RFC 6376, 3.2): `a=1; b=2`, in their order. Letter case counts
 * in names; white space around names and values is no part of them.
 * @returns the fault, as a sentence, for which receivers throw the whole list away
 */
export function readTags(text: string): TagList {
  const parts = text.split(';');
  // One semicolon may end the list.
  if (parts.length > 1 && parts.at(-1)?.trim() === '') parts.pop();
  const tags = new Map<string, string>();
  for (const part of parts) {
    const [, name, value] = TAG.exec(part) ?? [];
    if (name === undefined || value === undefined)
      return { fault: 'Between its semicolons must stand tags as in p=...' };
    if (tags.has(name)) return { fault: `It has the tag ${name}= twice, which voids it; keep one.` };
    tags.set(name, value.trim());
  }
  return { tags };
}
