import { createHash, type KeyObject, verify } from 'node:crypto';

/** A verifier that follows RFC 6376 literally. It is slow and shares no code with the signer. */

/** Section 3.4.2 */
export function relaxedHeader(field: string): string {
  const [name = '', ...rest] = field.split(':');
  const value = rest.join(':');
  const unfolded = value.replace(/\r\n(?=[ \t])/g, '');
  const single = unfolded.replace(/[ \t]+/g, ' ');
  return `${name.toLowerCase().replace(/[ \t]+$/, '')}:${single.replace(/[ \t]+$/, '').replace(/^[ \t]+/, '')}`;
}

/** Section 3.4.4. The text has one character for each byte. */
export function relaxedBody(body: string): string {
  const lines = body.split('\r\n').map((line) => line.replace(/[ \t]+$/, '').replace(/[ \t]+/g, ' '));
  while (lines.at(-1) === '') lines.pop();
  return lines.map((line) => `${line}\r\n`).join('');
}

/** Verifies as in sections 3.7 and 6.1.3. The message must begin with its signature. */
export function verifies(signed: Buffer, publicKey: KeyObject): boolean {
  const text = signed.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const [signature = '', ...fields] = text.slice(0, end).split(/\r\n(?![ \t])/);
  const tags = parseTags(signature);
  const hash = createHash('sha256')
    .update(relaxedBody(text.slice(end + 4)), 'latin1')
    .digest('base64');
  if (hash !== tags.bh) return false;
  const left = [...fields];
  const chosen = (tags.h ?? '').split(':').flatMap((name) => {
    const at = left.findLastIndex((field) => relaxedHeader(field).startsWith(`${name.toLowerCase()}:`));
    return at === -1 ? [] : left.splice(at, 1);
  });
  const emptied = signature.replace(/([;:\s]b=)[^;]*/, '$1');
  const data = [...chosen.map((field) => `${relaxedHeader(field)}\r\n`), relaxedHeader(emptied)].join('');
  return verify('sha256', Buffer.from(data, 'latin1'), publicKey, Buffer.from(tags.b ?? '', 'base64'));
}

/** The tags of a DKIM-Signature, without blanks in their values. */
export function parseTags(signature: string): Record<string, string> {
  const list = signature.slice(signature.indexOf(':') + 1).split(';');
  return Object.fromEntries(
    list.map((tag) => {
      const at = tag.indexOf('=');
      return [tag.slice(0, at).trim(), tag.slice(at + 1).replace(/\s/g, '')];
    }),
  );
}
