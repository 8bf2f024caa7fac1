import { hash } from 'node:crypto';

/**
 * The boundary between the parts of a message. It is derived from the message id, so that every attempt builds the same
 * bytes. `=_` cannot occur in quoted-printable or base64 (RFC 2045, 6.7). If a 7bit part contains the boundary, another
 * one is tried.
 */
export function boundaryOf(messageId: string, parts: readonly Buffer[]): string {
  for (let round = 0; ; round += 1) {
    const digest = hash('sha256', `${round} ${messageId}`);
    const boundary = `=_${digest.slice(0, 24)}`;
    if (!parts.some((part) => part.includes(boundary))) return boundary;
  }
}
