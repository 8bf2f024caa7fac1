import type { Config } from '../config/config.js';

/** Which of the two a domain or an email records. */
export type TrackedEvents = { readonly opens: boolean; readonly clicks: boolean };

/** What an email reports when it is read. It is fixed when the email is accepted, so its message never changes. */
export type Tracking = TrackedEvents & {
  /** TRACKING_URL as it was then. */
  readonly url: string;
  /**
   * The position of the recipient if there is only one. Several recipients get the same message, so nobody can tell
   * which of them opened it; then it is null.
   */
  readonly position: number | null;
};

/**
 * What a new email will report.
 * @param tracks what its sending domain tracks
 * @returns null for an email that reports nothing
 */
export function trackingOf(
  { trackingUrl }: Pick<Config, 'trackingUrl'>,
  tracks: TrackedEvents | null,
  { hasHtml, recipients }: { hasHtml: boolean; recipients: number },
): Tracking | null {
  if (trackingUrl === null || !hasHtml || !(tracks?.opens || tracks?.clicks)) return null;
  return { ...tracks, url: trackingUrl, position: recipients === 1 ? 0 : null };
}
