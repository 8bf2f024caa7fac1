import type { IncomingHttpHeaders } from 'node:http';
import { isbot } from 'isbot';

/** Gmail fetches images before anybody has opened the message, and then pretends to be this outdated browser. */
const GMAIL_PREFETCH = /\bEdge\/12\.246\b/;

/** These load an image when a person opens the message, on behalf of the person. */
const IMAGE_PROXIES = /\b(GoogleImageProxy|YahooMailProxy)\b/;

/** Apple Mail Privacy Protection, which loads every image of every message, says nothing else. */
const APPLE_PRIVACY_PROTECTION = 'Mozilla/5.0';

/**
 * Whether a request looks automated. Only the answer is kept; the user agent is not.
 * How soon after sending the request came is checked when it is recorded.
 */
export function isMachine(headers: IncomingHttpHeaders): boolean {
  const agent = headers['user-agent']?.trim() ?? '';
  if (agent === '' || agent === APPLE_PRIVACY_PROTECTION || GMAIL_PREFETCH.test(agent)) return true;
  if (isPrefetch(headers)) return true;
  return !IMAGE_PROXIES.test(agent) && isbot(agent);
}

/** A browser that loads a page because the user may want it. */
function isPrefetch({ purpose, 'sec-purpose': secPurpose, 'x-moz': moz }: IncomingHttpHeaders): boolean {
  return [purpose, secPurpose, moz].some((value) => String(value ?? '').startsWith('prefetch'));
}
