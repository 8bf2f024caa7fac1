import { createHmac, timingSafeEqual } from 'node:crypto';
import { stringify } from 'uuid';
import type { Config } from '../config/config.js';
import { deriveToken } from '../secrets/sealed-secret.js';

/** What a link or an image of ours stands for. */
export type TrackedPart = {
  readonly emailId: string;
  /** The position of the recipient; null if the email has several. */
  readonly position: number | null;
  /** Where a link leads; null for the image. */
  readonly url: string | null;
};

/** Creates the token for the path of a link or an image. */
export type MakeTrackingToken = (part: TrackedPart) => string;

/** Reads a token. @returns null if we did not create it */
export type ReadTrackingToken = (token: string) => TrackedPart | null;

const KEY_BYTES = 32;
const ID_BYTES = 16;
const HEAD_BYTES = ID_BYTES + 1;
/** 96 bits cannot be guessed (RFC 2104, 5 asks for 80), and every byte makes every link longer. */
const MAC_BYTES = 12;
/** No recipient has this position. */
const SEVERAL = 255;

/**
 * Creates tokens that consist of the email's id, the recipient's position, the URL and an HMAC of all three, in
 * base64url. So a click needs no query, and the listener redirects only to URLs that were in an email of ours.
 */
export function trackingTokenMaker(config: Pick<Config, 'secretKey'>): MakeTrackingToken {
  const key = keyOf(config);
  return ({ emailId, position, url }) => {
    const id = Buffer.from(emailId.replaceAll('-', ''), 'hex');
    const payload = Buffer.concat([id, Buffer.of(position ?? SEVERAL), Buffer.from(url ?? '')]);
    return Buffer.concat([macOf(key, payload), payload]).toString('base64url');
  };
}

/** Reads what `trackingTokenMaker` created with the same SECRET_KEY. */
export function trackingTokenReader(config: Pick<Config, 'secretKey'>): ReadTrackingToken {
  const key = keyOf(config);
  return (text) => {
    const token = Buffer.from(text, 'base64url');
    const payload = token.subarray(MAC_BYTES);
    // Node skips characters that are not base64url, so one token could be written in many ways.
    if (payload.length < HEAD_BYTES || token.toString('base64url') !== text) return null;
    if (!timingSafeEqual(token.subarray(0, MAC_BYTES), macOf(key, payload))) return null;
    const position = payload[ID_BYTES] as number;
    return {
      emailId: stringify(payload.subarray(0, ID_BYTES)),
      position: position === SEVERAL ? null : position,
      url: payload.length === HEAD_BYTES ? null : payload.toString('utf8', HEAD_BYTES),
    };
  };
}

function keyOf(config: Pick<Config, 'secretKey'>): Buffer {
  return deriveToken(config, 'tracking', KEY_BYTES);
}

function macOf(key: Buffer, payload: Buffer): Buffer {
  return createHmac('sha256', key).update(payload).digest().subarray(0, MAC_BYTES);
}
