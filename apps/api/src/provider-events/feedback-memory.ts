import { cacheCertificates, type FetchCertificate } from '@posthorn/feedback/providers';
import { type FetchedText, fetchText, type SsrfGuard } from '@posthorn/webhooks';

/** A certificate has 2 KB, and the answer to a confirmation less. */
const FETCH = { maxBytes: 64 * 1_024, timeoutMs: 5_000 };

/** Amazon SNS has no such file. */
const isMissing = (statusCode = 0) => statusCode >= 400 && statusCode < 500;

/** What requests to feedback URLs share in this process. */
export type FeedbackMemory = {
  /** Gets a URL of Amazon SNS. */
  readonly fetchSns: (url: string) => Promise<FetchedText>;
  readonly fetchCertificate: FetchCertificate;
  /** Confirmations of SNS topics that are being visited. */
  readonly confirmations: Map<string, Promise<'confirmed' | 'other_topic'>>;
  /** When something was last noted about a relay, in milliseconds. */
  readonly notedAt: Map<string, number>;
};

/** @param port for tests, which cannot listen on 443 */
export function createFeedbackMemory(ssrfGuard: SsrfGuard, now: () => Date, port = 443): FeedbackMemory {
  const fetchSns = (url: string) => fetchText(ssrfGuard, Object.assign(new URL(url), { port }).href, FETCH);
  const fetchCertificate = cacheCertificates(async (url) => {
    const fetched = await fetchSns(url);
    if ('text' in fetched) return fetched.text;
    if (isMissing(fetched.statusCode)) return null;
    throw new Error(`${fetched.error}.`);
  }, now);
  return { fetchSns, fetchCertificate, confirmations: new Map(), notedAt: new Map() };
}
