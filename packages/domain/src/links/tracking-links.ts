import type { Config } from '@posthorn/platform/config';
import { type AllSecrets, createSignatureChecker, getSigner, SIGNATURE_BYTES } from '@posthorn/platform/secrets';
import { ID_BYTES, parseIdBytes, toIdBytes } from '@posthorn/platform/values';

/** Whether opens and clicks are recorded. */
type TrackedEvents = { readonly opens: boolean; readonly clicks: boolean };

export type DomainTracking = TrackedEvents & {
  /** The host of its links; null if they have the host of TRACKING_URL. */
  readonly host: string | null;
};

/** What an email reports when it is read. It is fixed when the email is accepted, so its message never changes. */
export type Tracking = TrackedEvents & {
  /** TRACKING_URL as it was then, or the same with the domain's own host. */
  readonly url: string;
  /**
   * The position of the recipient if there is only one. Several recipients get the same message, so nobody can tell
   * which of them opened it; then it is null.
   */
  readonly position: number | null;
};

/**
 * What a new email will report.
 * @param domain what its sending domain tracks
 * @returns null for an email that reports nothing
 */
export function buildTracking(
  { trackingUrl, trackingCname }: Pick<Config, 'trackingUrl' | 'trackingCname'>,
  domain: DomainTracking | null,
  { hasHtml, recipients }: { hasHtml: boolean; recipients: number },
): Tracking | null {
  if (trackingUrl === null || !hasHtml || !(domain?.opens || domain?.clicks)) return null;
  const { opens, clicks, host } = domain;
  const url = host === null || trackingCname === null ? trackingUrl : withHost(trackingUrl, host);
  return { opens, clicks, url, position: recipients === 1 ? 0 : null };
}

function withHost(trackingUrl: string, host: string): string {
  const url = new URL(trackingUrl);
  url.hostname = host;
  return url.href.replace(/\/+$/, '');
}

/** What a link or an image of ours stands for. */
export type TrackedPart = {
  readonly emailId: string;
  /** The position of the recipient; null if the email has several. */
  readonly position: number | null;
  /** Where a link leads; null for the image. */
  readonly url: string | null;
};

/** Creates the token for the path of a link or an image. */
type MakeTrackingToken = (part: TrackedPart) => string;

/** Reads a token. @returns null if we did not create it */
export type ParseTrackingToken = (token: string) => TrackedPart | null;

const PURPOSE = 'tracking';
const HEAD_BYTES = ID_BYTES + 1;
/** No recipient has this position. */
const SEVERAL = 255;

/**
 * Creates tokens that consist of the email's id, the recipient's position, the URL and an HMAC of all three, in
 * base64url. So a click needs no query, and the listener redirects only to URLs that were in an email of ours.
 */
export function createTrackingTokenMaker(config: Pick<Config, 'secretKey'>): MakeTrackingToken {
  const sign = getSigner(config, PURPOSE);
  return ({ emailId, position, url }) => {
    const payload = Buffer.concat([toIdBytes(emailId), Buffer.of(position ?? SEVERAL), Buffer.from(url ?? '')]);
    return Buffer.concat([sign(payload), payload]).toString('base64url');
  };
}

/** Reads what `createTrackingTokenMaker` created with the current SECRET_KEY or an earlier one. */
export function createTrackingTokenParser(config: AllSecrets): ParseTrackingToken {
  const isSigned = createSignatureChecker(config, PURPOSE);
  return (text) => {
    const token = Buffer.from(text, 'base64url');
    const payload = token.subarray(SIGNATURE_BYTES);
    // Node skips characters that are not base64url, so one token could be written in many ways.
    if (payload.length < HEAD_BYTES || token.toString('base64url') !== text) return null;
    if (!isSigned(payload, token.subarray(0, SIGNATURE_BYTES))) return null;
    const position = payload[ID_BYTES] as number;
    return {
      emailId: parseIdBytes(payload.subarray(0, ID_BYTES)),
      position: position === SEVERAL ? null : position,
      url: payload.length === HEAD_BYTES ? null : payload.toString('utf8', HEAD_BYTES),
    };
  };
}
