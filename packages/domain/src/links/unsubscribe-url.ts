import { parseAddress } from '@posthorn/domain/format';
import type { Config } from '@posthorn/platform/config';
import { lengthOfToken, sealUnsubscribeLink, type UnsubscribeLink } from './unsubscribe-link.js';

/** The template variable with the link. In a raw email, only exactly `{{unsubscribe_url}}` is replaced. */
export const UNSUBSCRIBE_VARIABLE = 'unsubscribe_url';
const PLACEHOLDER = `{{${UNSUBSCRIBE_VARIABLE}}}`;

type LinkConfig = Pick<Config, 'publicUrl' | 'secretKey'>;

/** The link with which the recipient unsubscribes. It is the same whenever it is computed. */
export function unsubscribeUrl(config: LinkConfig, link: UnsubscribeLink): string {
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
export function unsubscribeUrlOf(
  config: LinkConfig,
  { id: emailId, workspaceId, topic, to: [recipient] }: LinkedEmail,
): string | null {
  if (topic === null || recipient === undefined) return null;
  return unsubscribeUrl(config, { workspaceId, emailId, topic, address: parseAddress(recipient).address });
}

/** Has the length of the real link, but leads nowhere. For an email that is only checked. */
export function sampleUnsubscribeUrl(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  link: Pick<UnsubscribeLink, 'topic' | 'address'>,
): string {
  return `${publicUrl}/u/${'-'.repeat(lengthOfToken(link))}`;
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
export function sizeWithUnsubscribeUrl(body: string, url: string): number {
  let places = 0;
  for (let at = body.indexOf(PLACEHOLDER); at !== -1; at = body.indexOf(PLACEHOLDER, at + PLACEHOLDER.length))
    places += 1;
  return Buffer.byteLength(body) + places * (Buffer.byteLength(url) - PLACEHOLDER.length);
}
