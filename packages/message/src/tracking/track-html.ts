import { emailLogFields, type LoggedEmail, type StoredMessage } from '@posthorn/domain/emails';
import { trackingTokenMaker } from '@posthorn/domain/links';
import type { Context } from '@posthorn/platform';
import { rewriteHtml } from './rewrite-html.js';

/**
 * The html of an email with what reports opens and clicks, or the same html if the email reports nothing. It depends
 * only on the email, so every attempt sends the same. If it fails, the html stays as it is: mail that is not tracked is
 * better than none.
 */
export function trackHtml(
  { config, log }: Pick<Context, 'config' | 'log'>,
  email: LoggedEmail & Pick<StoredMessage, 'tracking'>,
  html: string,
): string {
  const { id, tracking } = email;
  if (!tracking) return html;
  const { opens, clicks, position, url: trackingUrl } = tracking;
  const makeToken = trackingTokenMaker(config);
  const toToken = (url: string | null) => makeToken({ emailId: id, position, url });
  try {
    return rewriteHtml(html, {
      imageUrl: opens ? `${trackingUrl}/o/${toToken(null)}` : null,
      replaceUrl: clicks ? (url) => `${trackingUrl}/c/${toToken(url)}` : null,
      ownUrl: `${config.publicUrl}/u/`,
    });
  } catch (error) {
    log.warn({ error, ...emailLogFields(email) }, 'html_not_tracked');
    return html;
  }
}
