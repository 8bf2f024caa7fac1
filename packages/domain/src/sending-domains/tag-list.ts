/**
 * The tags of a DKIM key or DMARC record (RFC 6376, 3.2): `a=1; b=2`. Names in lower case; white space
 * around names and values is no part of them.
 */
export function readTags(text: string): Map<string, string> {
  const tags = text.split(';').map((tag) => /^\s*(\w+)\s*=\s*(.*?)\s*$/s.exec(tag));
  return new Map(tags.flatMap((tag) => (tag ? [[String(tag[1]).toLowerCase(), String(tag[2])] as const] : [])));
}
