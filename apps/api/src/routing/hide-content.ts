import type {
  Attempt,
  EmailEvent as EmailEventJson,
  Email as EmailJson,
  Event as EventJson,
  WebhookDelivery as WebhookDeliveryJson,
} from '@posthorn/contract';
import type { Caller } from '@posthorn/domain/accounts';
import { type EmailDetail, explainEmail } from '@posthorn/domain/emails';
import { hideUnreadable, mayReadContent } from './access.js';

/*
 * What a caller who may not read the content of emails sees of their history. Links in an email are often secrets, such
 * as those that reset a password. They come back in clicks, and in replies of mail servers that quote the message.
 */

const HIDDEN = '...';

/** A shorter subject would be found by chance. */
const MIN_SUBJECT_CHARACTERS = 5;

/** An email as this caller may see it. */
export function hideInEmail(caller: Caller, email: EmailJson): EmailJson {
  if (mayReadContent(caller)) return email;
  const hide = buildHider(email.subject);
  return {
    ...hideUnreadable(caller, email),
    headers: Object.fromEntries(Object.entries(email.headers).map(([name, value]) => [name, hide(value)])),
    recipients: email.recipients.map((recipient) => ({
      ...recipient,
      smtp_response: recipient.smtp_response && hide(recipient.smtp_response),
    })),
    attempts: email.attempts.map((attempt) => hideInAttempt(caller, attempt, email)),
    events: email.events.map((event) => hideInEvent(caller, event, email)),
  };
}

/** The explanation of an email as this caller may see it. It is hidden in what servers said before that is shortened. */
export function explainTo(caller: Caller, email: EmailDetail, now: Date): string {
  if (mayReadContent(caller)) return explainEmail(email, now);
  const hide = buildHider(email.subject);
  const hideIn = (text: string | null) => text && hide(text);
  const hidden = {
    ...email,
    recipients: email.recipients.map((each) => ({ ...each, smtpResponse: hideIn(each.smtpResponse) })),
    attempts: email.attempts.map((each) => ({ ...each, conversation: each.conversation.map(hide) })),
    events: email.events.map((each) => ({ ...each, detail: hideIn(each.detail) })),
  };
  return explainEmail(hidden, now);
}

type About = { readonly subject: string | null };

export function hideInAttempt(caller: Caller, attempt: Attempt, { subject }: About): Attempt {
  if (mayReadContent(caller)) return attempt;
  return { ...attempt, conversation: attempt.conversation.map(buildHider(subject)) };
}

export function hideInEvent(caller: Caller, event: EmailEventJson, { subject }: About): EmailEventJson {
  if (mayReadContent(caller)) return event;
  const isClick = event.type === 'clicked';
  return { ...event, detail: isClick ? null : event.detail && buildHider(subject)(event.detail) };
}

/** The receiver may repeat in its response what was posted to it. */
export function hideInDelivery(caller: Caller, delivery: WebhookDeliveryJson): WebhookDeliveryJson {
  const { event, attempts } = delivery;
  if (mayReadContent(caller) || !event?.type.startsWith('email.')) return delivery;
  const hide = buildHider(null);
  return {
    ...delivery,
    attempts: attempts.map((attempt) => ({ ...attempt, response: hide(attempt.response) })),
    body: null,
    event: { ...event, data: hideInData(event.data) },
  };
}

/** The subject is not known here, and the reason may quote it. */
function hideInData(data: EventJson['data']): EventJson['data'] {
  if (!('email_id' in data)) return data;
  const { url, ...rest } = data;
  return { ...rest, reason: null };
}

/** Returns a function that hides the paths of links, and the subject, in the text of a mail server. */
function buildHider(subject: string | null): (text: string) => string {
  const hideLinks = (text: string) => text.replace(/\S+/g, hidePath);
  if (subject === null || subject.length < MIN_SUBJECT_CHARACTERS) return hideLinks;
  return (text) => hideLinks(text.replaceAll(subject, HIDDEN));
}

/** @param word such as `https://acme.example/reset?token=x`, with or without its scheme */
function hidePath(word: string): string {
  const scheme = word.indexOf('://');
  const hostAt = scheme === -1 ? 0 : scheme + '://'.length;
  const length = word.slice(hostAt).search(/[/?#]/);
  if (length === -1) return word;
  const host = word.slice(hostAt, hostAt + length);
  if (scheme === -1 && !/[a-z][^.]*\.[a-z]/i.test(host)) return word;
  return `${word.slice(0, hostAt + length + 1)}${HIDDEN}`;
}
