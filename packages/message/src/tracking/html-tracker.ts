import { emailLogFields, type LoggedEmail, type StoredMessage } from '@posthorn/domain/emails';
import { trackingTokenMaker } from '@posthorn/domain/links';
import type { Context } from '@posthorn/platform';
import { rewriteHtml } from './rewrite-html.js';

/** The html of an email with what reports opens and clicks, or the same html if the email reports nothing. */
export type TrackHtml = (email: LoggedEmail & Pick<StoredMessage, 'tracking'>, html: string) => string;

/**
 * Rewrites the html of emails that are tracked. It depends only on the email, so every attempt sends the same. If it
 * fails, the html stays as it is: mail that is not tracked is better than none.
 */
export function htmlTracker({ config, log }: Pick<Context, 'config' | 'log'>): TrackHtml {
  const makeToken = trackingTokenMaker(config);
  return (email, html) => {
    const { id, tracking } = email;
    if (!tracking) return html;
    const { opens, clicks, position, url: trackingUrl } = tracking;
    const tokenOf = (url: string | null) => makeToken({ emailId: id, position, url });
    try {
      return rewriteHtml(html, {
        imageUrl: opens ? `${trackingUrl}/o/${tokenOf(null)}` : null,
        replaceUrl: clicks ? (url) => `${trackingUrl}/c/${tokenOf(url)}` : null,
        ownUrl: `${config.publicUrl}/u/`,
      });
    } catch (error) {
      log.warn({ error, ...emailLogFields(email) }, 'html_not_tracked');
      return html;
    }
  };
}
