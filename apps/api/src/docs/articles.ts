import { comingFromPostmark } from './coming-from/postmark.js';
import { comingFromResend } from './coming-from/resend.js';
import { comingFromSes } from './coming-from/ses.js';
import type { Article } from './section.js';

/** Pages of the documentation other than the guide. @param baseUrl without a trailing slash */
export function articles(baseUrl: string): Article[] {
  return [comingFromResend(baseUrl), comingFromPostmark(baseUrl), comingFromSes(baseUrl)];
}
