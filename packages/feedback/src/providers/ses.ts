import { at, type Json, parseJson, toArray, toId, toMessageId, toObject, toText, toTime } from './json.js';
import { checkKey, KEY_HEADER } from './key.js';
import { complained, deferred, delivered, type EventSubject, held, ignored, refused, toEvent } from './outcome.js';
import type { Provider, ProviderEvent } from './provider.js';
import { readSesBounce, type SesLists } from './ses-bounces.js';
import { parseSnsMessage, verifySns } from './sns.js';
import { toAddresses } from './text.js';

const LISTS: SesLists = {
  global:
    'The address is on the global suppression list of Amazon SES. It leaves the list by itself; or add an account-level suppression list, which takes its place.',
  account:
    'The address is on the account-level suppression list of Amazon SES. Remove it in the SES console under Suppression list.',
  contacts: 'The person unsubscribed from a contact list of Amazon SES. See the SES console under Contact lists.',
};

type Facts = {
  readonly event: Json;
  /** The part of the event that is named after its type, such as `bounce`. */
  readonly detail: Json;
  readonly mail: Json;
  readonly subject: EventSubject;
};

/** What events of both kinds say, by type. All others change nothing. */
const readers: { readonly [type: string]: readonly [detail: string, read: (facts: Facts) => ProviderEvent[]] } = {
  Delivery: ['delivery', readDelivery],
  Bounce: ['bounce', readBounce],
  Complaint: ['complaint', readComplaint],
  DeliveryDelay: ['deliveryDelay', readDelay],
  Reject: ['reject', ({ detail, subject }) => [toEvent(subject, refused(toText(detail.reason), 'message'))]],
  'Rendering Failure': [
    'failure',
    ({ detail, subject }) => [toEvent(subject, refused(toText(detail.errorMessage), 'message'))],
  ],
};

/** Event publishing says `eventType`, and feedback notifications say `notificationType`. */
function readEvents(rawBody: Buffer): ProviderEvent[] {
  const message = parseSnsMessage(rawBody);
  const event = toObject(parseJson(message.Message));
  const type = toText(event.eventType) || toText(event.notificationType);
  const [detailName, read] = (Object.hasOwn(readers, type) ? readers[type] : undefined) ?? ['', null];
  const detail = toObject(event[detailName]);
  const mail = toObject(event.mail);
  const subject: EventSubject = {
    name: type,
    key: readKey(mail),
    providerId: toId(mail.messageId),
    messageId: toMessageId(findHeader(mail, 'Message-ID')),
    // An event without other addresses is about all of them.
    addresses: toAddresses(...toArray(mail.destination)),
    occurredAt: toTime(detail.timestamp) ?? toTime(message.Timestamp) ?? toTime(mail.timestamp),
    id: [type, detail.feedbackId ?? message.MessageId],
  };
  return read === null ? [toEvent(subject, ignored)] : read({ event, detail, mail, subject });
}

function readKey(mail: Json): string | null {
  return toId(findHeader(mail, KEY_HEADER));
}

function findHeader(mail: Json, wanted: string): unknown {
  const named = toArray(mail.headers).map((header) => [toText(at(header, 'name')), at(header, 'value')] as const);
  return named.find(([name]) => name.toLowerCase() === wanted.toLowerCase())?.[1];
}

function readDelivery({ detail, subject }: Facts): ProviderEvent[] {
  const addresses = toAddresses(...toArray(detail.recipients));
  return [toEvent({ ...subject, addresses }, delivered(toText(detail.smtpResponse)))];
}

/** One event for each recipient that bounced, because each has a reply of its own. */
function readBounce({ detail, subject }: Facts): ProviderEvent[] {
  const type = toText(detail.bounceType);
  const subType = toText(detail.bounceSubType);
  const name = `Bounce/${type}/${subType}`;
  return listRecipients(detail.bouncedRecipients).map((recipient) => {
    const words = toText(at(recipient, 'diagnosticCode'));
    const outcome = readSesBounce({ type, subType, words, status: toText(at(recipient, 'status')) }, LISTS);
    return toEvent({ ...subject, name, addresses: toAddresses(at(recipient, 'emailAddress')) }, outcome ?? ignored);
  });
}

/** An event that names nobody is still one event. */
function listRecipients(recipients: unknown): readonly unknown[] {
  const named = toArray(recipients);
  return named.length === 0 ? [null] : named;
}

/** Where several recipients have the same mailbox provider, it does not say which of them complained. */
function readComplaint({ detail, subject }: Facts): ProviderEvent[] {
  const addresses = toAddresses(...toArray(detail.complainedRecipients).map((one) => at(one, 'emailAddress')));
  const subType = toText(detail.complaintSubType);
  const about = { ...subject, name: `Complaint/${subType}`, addresses, isSure: addresses.length <= 1 };
  if (subType === 'OnAccountSuppressionList') return [toEvent(about, held('complaints', LISTS.account))];
  return [toEvent(about, complained(toText(detail.complaintFeedbackType)))];
}

function readDelay({ detail, subject }: Facts): ProviderEvent[] {
  return listRecipients(detail.delayedRecipients).map((recipient) => {
    const addresses = toAddresses(at(recipient, 'emailAddress'));
    const outcome = deferred(toText(at(recipient, 'diagnosticCode')), toText(at(recipient, 'status')));
    return toEvent({ ...subject, name: `DeliveryDelay/${toText(detail.delayType)}`, addresses }, outcome);
  });
}

export const ses: Provider = {
  name: 'Amazon SES',
  keyName: KEY_HEADER,
  buildHeaders: (key) => [{ name: KEY_HEADER, value: checkKey(key) }],
  readReplyId: (reply) => /\bOk ([0-9a-f]{16}-[0-9a-f-]{36}-\d{6})\s*$/.exec(reply)?.[1] ?? null,
  findSecretFault: () => 'The secret cannot be used: Amazon SNS signs with a certificate. Leave it out.',
  verify: verifySns,
  readEvents,
};
