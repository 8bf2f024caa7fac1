import { createHmac } from 'node:crypto';
import type { Config } from '../../config/config.js';
import { deriveToken } from '../../secrets/sealed-secret.js';
import { returnPathDomain } from './return-path-hosts.js';

/** Creates the envelope sender, which shows whether a bounce is genuine and which email it belongs to. */
export type MakeReturnPath = (envelope: {
  readonly emailId: string;
  /** The positions of the recipients in this envelope among all recipients of the email. */
  readonly positions: readonly number[];
  /** The sending domain or platform domain that the message comes from. */
  readonly domain: string;
}) => string;

const KEY_BYTES = 32;

/** One bit for each recipient that an email may have. */
const BITMAP_BYTES = 7;

/** 96 bits cannot be guessed (RFC 2104, 5 asks for 80), and a token of this length needs no padding in base32. */
const MAC_BYTES = 12;

/** Five bits per character; id, bitmap and MAC are 35 bytes long in total. */
const TOKEN_LENGTH = 56;

/**
 * Creates `b+<token>@bounces.<domain>`. The token consists of the email's id, the envelope's recipients and an HMAC of
 * both, in base32hex (RFC 4648, 7). It shows which email and recipients a bounce belongs to, so no query is needed. It
 * survives a server that converts it to upper case, and it cannot be forged without SECRET_KEY. The local part is 58
 * characters long; 64 are allowed (RFC 5321, 4.5.3.1.1).
 */
export function returnPathMaker(config: Pick<Config, 'secretKey'>): MakeReturnPath {
  const key = deriveToken(config, 'return path', KEY_BYTES);
  return ({ emailId, positions, domain }) => {
    const payload = Buffer.concat([Buffer.from(emailId.replaceAll('-', ''), 'hex'), bitmapOf(positions)]);
    const mac = createHmac('sha256', key)
      .update(payload)
      .digest('hex')
      .slice(0, 2 * MAC_BYTES);
    const token = BigInt(`0x${payload.toString('hex')}${mac}`)
      .toString(32)
      .padStart(TOKEN_LENGTH, '0');
    return `b+${token}@${returnPathDomain(domain)}`;
  };
}

function bitmapOf(positions: readonly number[]): Buffer {
  const bitmap = Buffer.alloc(BITMAP_BYTES);
  for (const position of positions) bitmap[position >> 3] = (bitmap[position >> 3] ?? 0) | (1 << (position & 7));
  return bitmap;
}
