import type { Config } from '@posthorn/platform/config';

/** Whether opens and clicks are recorded. */
export type TrackedEvents = { readonly opens: boolean; readonly clicks: boolean };

/** What a domain tracks. */
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
export function trackingOf(
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
