import { createHmac } from 'node:crypto';
import type { Config } from '../../config/config.js';
import { deriveToken } from '../../secrets/sealed-secret.js';
import { returnPathDomain } from './return-path-hosts.js';

/** Makes the sender of an envelope, by which a bounce is told from a forgery and leads to its email. */
export type MakeReturnPath = (envelope: {
  readonly emailId: string;
  /** Who of the email's recipients is in this envelope. */
  readonly positions: readonly number[];
  /** Where the message comes from: a sending domain or the platform domain. */
  readonly domain: string;
}) => string;

const KEY_BYTES = 32;

/** One bit for each recipient that an email may have. */
const SET_BYTES = 7;

/** 96 bits, which nobody guesses (RFC 2104, 5 asks for 80); and all together need no padding in base32. */
const MAC_BYTES = 12;

/** Five bits a character; id, set and MAC are 35 bytes. */
const TOKEN_LENGTH = 56;

/**
 * `b+<token>@bounces.<domain>`. The token is id, recipients and their HMAC in base32hex (RFC 4648, 7):
 * to whom a bounce belongs is read from it without asking anybody, also where a server on the way
 * wrote it in capitals, and nobody without SECRET_KEY can make one. With 58 of the 64 characters that a
 * local part may have (RFC 5321, 4.5.3.1.1) it fits everywhere.
 */
export function returnPathMaker(config: Pick<Config, 'secretKey'>): MakeReturnPath {
  const key = deriveToken(config, 'return path', KEY_BYTES);
  return ({ emailId, positions, domain }) => {
    const named = Buffer.concat([Buffer.from(emailId.replaceAll('-', ''), 'hex'), setOf(positions)]);
    const mac = createHmac('sha256', key)
      .update(named)
      .digest('hex')
      .slice(0, 2 * MAC_BYTES);
    const token = BigInt(`0x${named.toString('hex')}${mac}`)
      .toString(32)
      .padStart(TOKEN_LENGTH, '0');
    return `b+${token}@${returnPathDomain(domain)}`;
  };
}

function setOf(positions: readonly number[]): Buffer {
  const set = Buffer.alloc(SET_BYTES);
  for (const position of positions) set[position >> 3] = (set[position >> 3] ?? 0) | (1 << (position & 7));
  return set;
}
