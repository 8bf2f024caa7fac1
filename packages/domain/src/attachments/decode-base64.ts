/**
 * Node keeps only the low byte of a character above U+00FF, and so reads U+0141 as an A. This takes a microsecond,
 * because V8 stores text without such characters as one byte per character and does not search it.
 */
const WIDE = /[\u0100-\uffff]/;

/**
 * Decodes base64 strictly (RFC 4648, 3 and 4): with padding, without line breaks, and without bits that decoding would
 * drop. Node ignores invalid characters, so the length of its result shows whether it did. This takes a fraction
 * of the time of a regular expression.
 * @returns null if the text is not base64
 */
export function decodeBase64(text: string): Buffer | null {
  if (text.length % 4 !== 0) return null;
  const padding = text.endsWith('==') ? 2 : Number(text.endsWith('='));
  const bytes = Buffer.from(text, 'base64');
  const isComplete = bytes.length === (text.length / 4) * 3 - padding;
  // Node also decodes the URL-safe alphabet.
  if (!isComplete || text.includes('-') || text.includes('_')) return null;
  if (WIDE.test(text)) return null;
  const end = bytes.subarray(bytes.length - (bytes.length % 3 || 3));
  return end.toString('base64') === text.slice(-4) ? bytes : null;
}
