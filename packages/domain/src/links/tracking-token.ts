import type { Config } from '@posthorn/platform/config';
import { type AllSecrets, SIGNATURE_BYTES, signatureChecker, signer } from '@posthorn/platform/secrets';
import { bytesToId, ID_BYTES, idToBytes } from '@posthorn/platform/values';

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

const PURPOSE = 'tracking';
const HEAD_BYTES = ID_BYTES + 1;
/** No recipient has this position. */
const SEVERAL = 255;

/**
 * Creates tokens that consist of the email's id, the recipient's position, the URL and an HMAC of all three, in
 * base64url. So a click needs no query, and the listener redirects only to URLs that were in an email of ours.
 */
export function trackingTokenMaker(config: Pick<Config, 'secretKey'>): MakeTrackingToken {
  const sign = signer(config, PURPOSE);
  return ({ emailId, position, url }) => {
    const payload = Buffer.concat([idToBytes(emailId), Buffer.of(position ?? SEVERAL), Buffer.from(url ?? '')]);
    return Buffer.concat([sign(payload), payload]).toString('base64url');
  };
}

/** Reads what `trackingTokenMaker` created with the current SECRET_KEY or an earlier one. */
export function trackingTokenReader(config: AllSecrets): ReadTrackingToken {
  const isSigned = signatureChecker(config, PURPOSE);
  return (text) => {
    const token = Buffer.from(text, 'base64url');
    const payload = token.subarray(SIGNATURE_BYTES);
    // Node skips characters that are not base64url, so one token could be written in many ways.
    if (payload.length < HEAD_BYTES || token.toString('base64url') !== text) return null;
    if (!isSigned(payload, token.subarray(0, SIGNATURE_BYTES))) return null;
    const position = payload[ID_BYTES] as number;
    return {
      emailId: bytesToId(payload.subarray(0, ID_BYTES)),
      position: position === SEVERAL ? null : position,
      url: payload.length === HEAD_BYTES ? null : payload.toString('utf8', HEAD_BYTES),
    };
  };
}
