import { timingSafeEqual } from 'node:crypto';
import { toReturnPathDomain } from '@posthorn/domain/domains';
import type { Config } from '@posthorn/platform/config';
import { type AllSecrets, createSigners, getSigner } from '@posthorn/platform/secrets';
import { ID_BYTES, parseIdBytes, toIdBytes } from '@posthorn/platform/values';

/** The email and the recipients that its envelopes are for. */
export type ReturnPathEnvelope = {
  readonly emailId: string;
  /** The positions of the recipients that the envelope is for, or was for in an earlier attempt. */
  readonly positions: readonly number[];
};

/**
 * Creates the envelope sender, which shows whether a bounce is genuine and which email it belongs to.
 * @param envelope with the sending domain or platform domain that the message comes from
 */
export type MakeReturnPath = (envelope: ReturnPathEnvelope & { readonly domain: string }) => string;

/** Reads an address that a bounce was sent to. @returns null if we did not create it, with this host */
export type ParseReturnPath = (address: string) => ReturnPathEnvelope | null;

const PURPOSE = 'return path';

/** One bit for each recipient that an email may have. */
const BITMAP_BYTES = 7;

/** Five bits per character; id, bitmap and signature are 35 bytes long in total, so base32 needs no padding. */
const TOKEN_LENGTH = 56;

/**
 * Creates `b+<token>@bounces.<domain>`. The token consists of the email's id, the envelope's recipients and an HMAC of
 * both and the host, in base32hex (RFC 4648, 7). It shows which email and recipients a bounce belongs to, so no query is
 * needed, even if the domain was deleted in the meantime. It survives a server that converts it to upper case, and it
 * cannot be forged or used at another host without SECRET_KEY. Every recipient sees it, so the bitmap is masked;
 * otherwise, it would tell how many blind copies there are. The local part is 58 characters long; 64 are allowed
 * (RFC 5321, 4.5.3.1.1).
 */
export function createReturnPathMaker(config: Pick<Config, 'secretKey'>): MakeReturnPath {
  const sign = getSigner(config, PURPOSE);
  return ({ emailId, positions, domain }) => {
    const id = toIdBytes(emailId);
    const bitmap = toBitmap(positions);
    const host = toReturnPathDomain(domain);
    const signature = sign(toSigned(id, bitmap, host));
    const token = Buffer.concat([id, xor(bitmap, sign(signature)), signature]);
    return `b+${toBase32(token)}@${host}`;
  };
}

function toSigned(id: Buffer, bitmap: Buffer, host: string): Buffer {
  return Buffer.concat([id, bitmap, Buffer.from(host.toLowerCase())]);
}

const RETURN_PATH = new RegExp(`^b\\+([0-9a-v]{${TOKEN_LENGTH}})@(bounces\\.[^@]+?)\\.?$`, 'i');

/**
 * Reads what `createReturnPathMaker` created with the current SECRET_KEY or an earlier one. It needs no query, so refusing a
 * forged one is cheap.
 */
export function createReturnPathParser(config: AllSecrets): ParseReturnPath {
  const signers = createSigners(config, PURPOSE);
  return (address) => {
    const [, text, host] = RETURN_PATH.exec(address) ?? [];
    if (text === undefined || host === undefined) return null;
    const token = fromBase32(text);
    const id = token.subarray(0, ID_BYTES);
    const masked = token.subarray(ID_BYTES, ID_BYTES + BITMAP_BYTES);
    const signature = token.subarray(ID_BYTES + BITMAP_BYTES);
    for (const sign of signers) {
      const bitmap = xor(masked, sign(signature));
      if (timingSafeEqual(signature, sign(toSigned(id, bitmap, host))))
        return { emailId: parseIdBytes(id), positions: positionsIn(bitmap) };
    }
    return null;
  };
}

function xor(bitmap: Buffer, mask: Buffer): Buffer {
  return bitmap.map((byte, index) => byte ^ (mask[index] ?? 0)) as Buffer;
}

function toBase32(token: Buffer): string {
  return BigInt(`0x${token.toString('hex')}`)
    .toString(32)
    .padStart(TOKEN_LENGTH, '0');
}

/** BigInt writes with radix 32, but does not read it. */
function fromBase32(text: string): Buffer {
  let value = 0n;
  for (const character of text) value = value * 32n + BigInt(Number.parseInt(character, 32));
  return Buffer.from(value.toString(16).padStart((TOKEN_LENGTH * 5) / 4, '0'), 'hex');
}

function positionsIn(bitmap: Buffer): number[] {
  return Array.from({ length: bitmap.length * 8 }, (_, position) => position).filter(
    (position) => ((bitmap[position >> 3] ?? 0) >> (position & 7)) & 1,
  );
}

function toBitmap(positions: readonly number[]): Buffer {
  const bitmap = Buffer.alloc(BITMAP_BYTES);
  for (const position of positions) bitmap[position >> 3] = (bitmap[position >> 3] ?? 0) | (1 << (position & 7));
  return bitmap;
}
