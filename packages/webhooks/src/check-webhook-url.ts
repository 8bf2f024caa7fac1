import { limits } from '@posthorn/domain/limits';
import { parseUrl } from '@posthorn/platform/network';
import { formatCount, formatCountOf } from '@posthorn/platform/values';
import { HTTPS_REQUIRED, type SsrfGuard } from './ssrf-guard.js';

/**
 * Checks a URL that a client wants events posted to, including the addresses that it leads to now.
 *
 * @returns the reason to refuse the URL, as text that completes a sentence starting with the name of the field, or null
 *   if the URL may be used. Each connection checks the addresses again
 */
export async function checkWebhookUrl(guard: SsrfGuard, url: string): Promise<string | null> {
  const textReason = findReasonToRefuse(url);
  if (textReason) return textReason;
  const checked = await guard.check(new URL(url));
  if ('addresses' in checked) return null;
  const { kind, reason } = checked;
  return kind === 'address' ? `${reason}. Use a URL that can be reached from the internet` : reason;
}

/**
 * The URL as it is stored: the host in lower case, ASCII and without other spellings of an IP address, and everything
 * else encoded as in the requests. A URL without a path gets none, so that clients read back what they have written.
 */
export function normalizeWebhookUrl(url: string): string {
  const { href, origin } = new URL(url);
  return href === `${origin}/` && !url.endsWith('/') ? origin : href;
}

function findReasonToRefuse(url: string): string | null {
  const { max } = limits.webhookUrl;
  if (url.length > max) return `has ${formatCountOf(url.length, 'character')}; the limit is ${formatCount(max)}`;
  // The URL parser would silently remove them.
  if (/[\s\p{Cc}]/u.test(url)) return 'must not contain spaces, line breaks or control characters';
  if (!/^https?:\/\//i.test(url)) return HTTPS_REQUIRED.reason;
  const parsed = parseUrl(url);
  if (parsed === null) return 'is not a valid URL';
  // The URL parser would silently remove an empty user name, and the slashes before it.
  if (/^https?:[/\\]*[^/\\?#]*@/i.test(url)) return 'must not contain a user name or a password';
  if (parsed.port === '0') return 'must not have the port 0';
  const { length } = normalizeWebhookUrl(url);
  if (length > max)
    return `has ${formatCountOf(length, 'character')} when it is encoded; the limit is ${formatCount(max)}`;
  return url.includes('#') ? 'must not contain a fragment (#)' : null;
}
