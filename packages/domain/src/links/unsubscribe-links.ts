import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { parseAddress } from '@posthorn/domain/format';
import type { Config } from '@posthorn/platform/config';
import { type AllSecrets, deriveToken, deriveTokens } from '@posthorn/platform/secrets';
import { ID_BYTES, parseIdBytes, toIdBytes } from '@posthorn/platform/values';

/** The template variable with the link. In a raw email, only exactly `{{unsubscribe_url}}` is replaced. */
export const UNSUBSCRIBE_VARIABLE = 'unsubscribe_url';
const PLACEHOLDER = `{{${UNSUBSCRIBE_VARIABLE}}}`;

type LinkConfig = Pick<Config, 'publicUrl' | 'secretKey'>;

/** The link with which the recipient unsubscribes. It is the same whenever it is computed. */
export function buildUnsubscribeUrl(config: LinkConfig, link: UnsubscribeLink): string {
  return `${config.publicUrl}/u/${sealUnsubscribeLink(config, link)}`;
}

/** The parts of a stored email that its link depends on. */
type LinkedEmail = {
  readonly id: string;
  readonly workspaceId: string;
  readonly topic: string | null;
  readonly to: readonly string[];
};

/**
 * The link in an email; null for mail that one cannot unsubscribe from. Mail with a topic has exactly one recipient,
 * who is in `to`, because every email has someone there.
 */
export function findUnsubscribeUrl(
  config: LinkConfig,
  { id: emailId, workspaceId, topic, to: [recipient] }: LinkedEmail,
): string | null {
  if (topic === null || recipient === undefined) return null;
  return buildUnsubscribeUrl(config, { workspaceId, emailId, topic, address: parseAddress(recipient).address });
}

/** Has the length of the real link, but leads nowhere. For an email that is only checked. */
export function buildSampleUnsubscribeUrl(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  link: Pick<UnsubscribeLink, 'topic' | 'address'>,
): string {
  return `${publicUrl}/u/${'-'.repeat(countTokenCharacters(link))}`;
}

/** The variables of a template with the link. @param url null for mail without a topic */
export function withLink<Vars extends object>(vars: Vars, url: string | null): Vars {
  return url === null ? vars : { ...vars, [UNSUBSCRIBE_VARIABLE]: url };
}

type RawContent = { readonly html: string | null; readonly text: string | null };

/**
 * Puts the link into a raw email. Raw content is otherwise not a template, so nothing else is replaced. The link needs
 * no escaping in html: a token is base64url, and PUBLIC_URL has no query.
 */
export function withUnsubscribeUrl({ html, text }: RawContent, url: string): RawContent {
  return {
    html: html?.replaceAll(PLACEHOLDER, () => url) ?? null,
    text: text?.replaceAll(PLACEHOLDER, () => url) ?? null,
  };
}

/** The bytes of a raw body with the link, without building it. */
export function measureWithUnsubscribeUrl(body: string, url: string): number {
  let places = 0;
  for (let at = body.indexOf(PLACEHOLDER); at !== -1; at = body.indexOf(PLACEHOLDER, at + PLACEHOLDER.length))
    places += 1;
  return Buffer.byteLength(body) + places * (Buffer.byteLength(url) - PLACEHOLDER.length);
}

/** Who unsubscribes from what. */
export type UnsubscribeLink = {
  /** The workspace that the email belongs to, which may hold test mail. */
  readonly workspaceId: string;
  /** The email with the link. Its row may have been deleted. */
  readonly emailId: string;
  readonly topic: string;
  /** The recipient. */
  readonly address: string;
};

const CIPHER = 'aes-256-gcm';
const PURPOSE = 'unsubscribe link';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const OVERHEAD_BYTES = NONCE_BYTES + TAG_BYTES;

/**
 * The opaque part of an unsubscribe link (RFC 8058, section 3.1): everything that is needed to unsubscribe, encrypted
 * with a key derived from SECRET_KEY, in base64url. It has no expiry and needs no row of the email, which may have been
 * deleted long before the recipient uses the link.
 *
 * The nonce is an HMAC of the content. So every attempt to send the email produces the same token, and two different
 * contents never share a nonce, as AES-GCM demands (RFC 5116, section 3.1).
 * @throws Error when SECRET_KEY is missing
 */
function sealUnsubscribeLink(config: Pick<Config, 'secretKey'>, link: UnsubscribeLink): string {
  const key = toKey(deriveToken(config, PURPOSE, 2 * KEY_BYTES));
  const content = encode(link);
  const nonce = computeNonce(key, content);
  const cipher = createCipheriv(CIPHER, key.cipherKey, nonce);
  const ciphertext = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url');
}

/**
 * Reads a token that was sealed with the current SECRET_KEY or an earlier one. It needs no query, so refusing a forged
 * one is cheap.
 * @returns null if we did not create it
 */
export function openUnsubscribeLink(config: AllSecrets, token: string): UnsubscribeLink | null {
  const bytes = Buffer.from(token, 'base64url');
  // Node ignores characters that are not base64url, so many texts would be the same token.
  if (bytes.length <= OVERHEAD_BYTES || bytes.toString('base64url') !== token) return null;
  for (const derived of deriveTokens(config, PURPOSE, 2 * KEY_BYTES)) {
    const content = decrypt(toKey(derived), bytes);
    if (content !== null) return decode(content);
  }
  return null;
}

/** How many characters the token will have. The length shows nothing but that of topic and address. */
function countTokenCharacters({ topic, address }: Pick<UnsubscribeLink, 'topic' | 'address'>): number {
  const bytes = OVERHEAD_BYTES + 2 * ID_BYTES + 1 + Buffer.byteLength(topic) + Buffer.byteLength(address);
  return Math.ceil((bytes * 4) / 3);
}

type Key = { readonly cipherKey: Buffer; readonly nonceKey: Buffer };

function toKey(derived: Buffer): Key {
  return { cipherKey: derived.subarray(0, KEY_BYTES), nonceKey: derived.subarray(KEY_BYTES) };
}

function computeNonce({ nonceKey }: Key, content: Buffer): Buffer {
  return createHmac('sha256', nonceKey).update(content).digest().subarray(0, NONCE_BYTES);
}

function decrypt(key: Key, bytes: Buffer): Buffer | null {
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key.cipherKey, nonce, { authTagLength: TAG_BYTES }).setAuthTag(
    bytes.subarray(NONCE_BYTES, OVERHEAD_BYTES),
  );
  try {
    const content = Buffer.concat([decipher.update(bytes.subarray(OVERHEAD_BYTES)), decipher.final()]);
    return timingSafeEqual(nonce, computeNonce(key, content)) ? content : null;
  } catch {
    // Another SECRET_KEY, or not ours at all.
    return null;
  }
}

/** The two ids, the length of the topic, the topic and the address. */
function encode({ workspaceId, emailId, topic, address }: UnsubscribeLink): Buffer {
  const topicBytes = Buffer.from(topic);
  return Buffer.concat([
    toIdBytes(workspaceId),
    toIdBytes(emailId),
    Buffer.of(topicBytes.length),
    topicBytes,
    Buffer.from(address),
  ]);
}

function decode(content: Buffer): UnsubscribeLink {
  const topicAt = 2 * ID_BYTES + 1;
  const addressAt = topicAt + content.readUInt8(topicAt - 1);
  return {
    workspaceId: parseIdBytes(content.subarray(0, ID_BYTES)),
    emailId: parseIdBytes(content.subarray(ID_BYTES, 2 * ID_BYTES)),
    topic: content.toString('utf8', topicAt, addressAt),
    address: content.toString('utf8', addressAt),
  };
}
