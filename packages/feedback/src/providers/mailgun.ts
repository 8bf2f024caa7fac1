import { createHmac } from 'node:crypto';
import { at, type Json, parseElements, parseJson, toId, toMessageId, toObject, toText, toTime } from './json.js';
import { checkKey, findByName, META_KEY } from './key.js';
import {
  bounced,
  complained,
  deferred,
  delivered,
  findIn,
  findOutcome,
  type HeldOutcome,
  held,
  ignored,
  type Outcome,
  type OutcomeTable,
  refused,
  toEvent,
  unsubscribed,
} from './outcome.js';
import type { FeedbackRequest, Provider, ProviderEvent, Verification } from './provider.js';
import { toAddresses } from './text.js';
import { FORGED, isEqual, isFresh, type Refusal, tooOld } from './verify.js';

/** https://documentation.mailgun.com/docs/mailgun/user-manual/events/event-structure */
const outcomes: OutcomeTable<Json> = {
  delivered: (data) => delivered(readReply(data)),
  failed: toFailed,
  rejected: (data) =>
    refused(toText(at(data, 'reject', 'reason')) || toText(at(data, 'reject', 'description')), 'message'),
  complained: () => complained(),
  unsubscribed: () => unsubscribed,
};

const where = (list: string) =>
  `The address is on the suppression list "${list}" of Mailgun. Remove it there under Suppressions, ${list}.`;

/** By the code of Mailgun's own that takes the place of an SMTP code, and by the reason. */
const HELD_BY_CODE: { readonly [code: string]: HeldOutcome } = {
  605: held('bounces', where('Bounces')),
  606: held('unsubscribes', where('Unsubscribes')),
  607: held('complaints', where('Complaints')),
};
const HELD_BY_REASON: { readonly [reason: string]: HeldOutcome | undefined } = {
  'suppress-bounce': HELD_BY_CODE[605],
  'suppress-unsubscribe': HELD_BY_CODE[606],
  'suppress-complaint': HELD_BY_CODE[607],
};

function toFailed(data: Json): Outcome {
  const reason = toText(data.reason);
  const code = toText(at(data, 'delivery-status', 'code'));
  const description = toText(at(data, 'delivery-status', 'description'));
  const onList = findIn(HELD_BY_CODE, code) ?? findIn(HELD_BY_REASON, reason);
  if (onList) return { ...onList, text: description };
  if (toText(data.severity) === 'temporary') return deferred(readReply(data));
  // `old` means that Mailgun stopped trying, and `espblock` that the mailbox provider blocks it.
  const isPermanent = reason === 'bounce' || reason === 'generic';
  const otherwise = reason === 'espblock' ? ({ otherwise: 'reputation' } as const) : {};
  const status = toText(at(data, 'delivery-status', 'enhanced-code'));
  return bounced({ isPermanent, ...otherwise }, readReply(data), { status, shown: description });
}

/** A code of Mailgun's own, such as 498 or 605, is not the mail server's. */
const SMTP_CODE = /^(?:2[0-5]\d|4[0-5]\d|5[0-5]\d)$/;

function readReply(data: Json): string {
  const code = toText(at(data, 'delivery-status', 'code'));
  const message = toText(at(data, 'delivery-status', 'message'));
  return SMTP_CODE.test(code) && !message.startsWith(code) ? `${code} ${message}`.trim() : message;
}

function toProviderEvent(element: Json): ProviderEvent {
  const data = toObject(element['event-data']);
  const event = toText(data.event);
  const subject = {
    name: [event, toText(data.severity), toText(data.reason)].filter(Boolean).join('/'),
    key: findByName(toObject(data['user-variables']), META_KEY),
    providerId: null,
    messageId: toMessageId(at(data, 'message', 'headers', 'message-id')),
    addresses: toAddresses(data.recipient),
    occurredAt: toTime(data.timestamp),
    id: [event, toId(data.id) ?? data.timestamp],
  };
  // Their test button repeats any message of ours.
  const isTest = at(data, 'flags', 'is-system-test') === true;
  return toEvent(subject, isTest ? ignored : findOutcome(outcomes, event, data));
}

const MAX_AGE_SECONDS = 12 * 60 * 60;

/** Mailgun tries again for hours after any other refusal. */
function refuseForGood(refusal: Refusal): Refusal {
  return { ...refusal, status: 406 };
}

async function verifyMailgun({ rawBody, secrets, now }: FeedbackRequest): Promise<Verification> {
  const { timestamp, token, signature } = toObject(at(parseJson(rawBody), 'signature'));
  const [time, id] = [toText(timestamp), toId(token)];
  const sign = (secret: string) => createHmac('sha256', secret).update(`${time}${id}`).digest('hex');
  const isSigned = id !== null && secrets.some((secret) => isEqual(sign(secret), toText(signature).toLowerCase()));
  if (!isSigned) return refuseForGood(FORGED);
  return isFresh(time, now, MAX_AGE_SECONDS) ? { result: 'events', token: id } : refuseForGood(tooOld('12 hours'));
}

export const mailgun: Provider = {
  name: 'Mailgun',
  keyName: META_KEY,
  buildHeaders: (key) => [{ name: 'X-Mailgun-Variables', value: JSON.stringify({ [META_KEY]: checkKey(key) }) }],
  // The reply is "Great success".
  readReplyId: () => null,
  findSecretFault: (secret) =>
    /^[\x21-\x7e]{1,200}$/.test(secret) ? null : 'The secret must be the HTTP webhook signing key of the account.',
  verify: verifyMailgun,
  readEvents: (rawBody) => parseElements(rawBody).map(toProviderEvent),
};
