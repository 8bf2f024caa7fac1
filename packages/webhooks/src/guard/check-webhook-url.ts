import { formatCount, formatCountOf, limits } from '@posthorn/domain';
import { HTTPS_REQUIRED, type ReceiverGuard } from './receiver-guard.js';

/**
 * Checks a URL that a client wants events posted to, including the addresses that it leads to now.
 *
 * @returns the fault, as text that completes a sentence starting with the name of the field, or null if the URL may be
 *   used. Each connection checks the addresses again
 */
export async function checkWebhookUrl(guard: ReceiverGuard, url: string): Promise<string | null> {
  const fault = faultOfText(url);
  if (fault) return fault;
  const checked = await guard.check(new URL(url));
  if ('addresses' in checked) return null;
  return checked.fault.startsWith('leads to')
    ? `${checked.fault}. Use a URL that can be reached from the internet`
    : checked.fault;
}

function faultOfText(url: string): string | null {
  const { max } = limits.webhookUrl;
  if (url.length > max) return `has ${formatCountOf(url.length, 'character')}; the limit is ${formatCount(max)}`;
  // The URL parser would silently remove them.
  if (/[\s\p{Cc}]/u.test(url)) return 'must not contain spaces, line breaks or control characters';
  if (!/^https?:\/\//i.test(url)) return HTTPS_REQUIRED;
  if (!URL.canParse(url)) return 'is not a valid URL';
  const { username, password } = new URL(url);
  if (username || password) return 'must not contain a user name or a password';
  return url.includes('#') ? 'must not contain a fragment (#)' : null;
}
