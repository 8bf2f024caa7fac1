import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type Json, parseElements, toId, toMessageId, toText, toTime } from './json.js';
import { checkKey, META_KEY } from './key.js';
import {
  bounced,
  complained,
  deferred,
  delivered,
  findOutcome,
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
import { asEvents, FORGED, getHeader, isFresh, tooOld } from './verify.js';

/** https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event */
const outcomes: OutcomeTable<Json> = {
  deferred: ({ response, reason }) => deferred(toText(response) || toText(reason)),
  delivered: ({ response }) => delivered(toText(response)),
  bounce: toBounce,
  dropped: toDropped,
  spamreport: () => complained(),
  unsubscribe: () => unsubscribed,
  group_unsubscribe: () => unsubscribed,
};

function toBounce({ type, reason, status, bounce_classification: classification }: Json): Outcome {
  const isPermanent = toText(type) !== 'blocked';
  const named = toText(classification);
  const kind = {
    isPermanent,
    ...(isPermanent && named === 'Invalid Address' && { withoutReply: 'bad_mailbox' as const }),
    ...(named === 'Reputation' && { otherwise: 'reputation' as const }),
    ...(named === 'Content' && { otherwise: 'content' as const }),
  };
  return bounced(kind, toText(reason), { status: toText(status) });
}

const where = (list: string) =>
  `The address is on the list "${list}" of SendGrid. Remove it in SendGrid under Suppressions, ${list}.`;

/** By the reason, in lower case, that SendGrid gives for a message that it did not try to deliver. */
const droppings: OutcomeTable<string> = {
  'bounced address': (reason) => held('bounces', where('Bounces'), reason),
  'spam reporting address': (reason) => held('complaints', where('Spam Reports'), reason),
  'unsubscribed address': (reason) =>
    held(
      'unsubscribes',
      'The person unsubscribed at SendGrid. See there under Suppressions, Global Unsubscribes or Group Unsubscribes.',
      reason,
    ),
  invalid: (reason) => held('other', where('Invalid'), reason),
};

function toDropped({ reason }: Json): Outcome {
  const text = toText(reason);
  const known = findOutcome(droppings, text.toLowerCase(), text);
  if (known !== ignored) return known;
  return refused(text, /^spam content/i.test(text) ? 'message' : 'relay');
}

function toProviderEvent(element: Json): ProviderEvent {
  const event = toText(element.event);
  const subject = {
    name: [event, toText(element.type)].filter(Boolean).join('/'),
    key: element[META_KEY],
    providerId: toId(toText(element.sg_message_id).split('.', 1)[0]),
    messageId: toMessageId(element['smtp-id']),
    addresses: toAddresses(element.email),
    occurredAt: toTime(element.timestamp),
    id: [event, element.sg_event_id ?? element.timestamp],
  };
  return toEvent(subject, findOutcome(outcomes, event, element));
}

/** SendGrid tries again for a day with the same signature. */
const MAX_AGE_SECONDS = 26 * 60 * 60;

async function verifySendGrid(request: FeedbackRequest): Promise<Verification> {
  const signature = Buffer.from(getHeader(request, 'x-twilio-email-event-webhook-signature'), 'base64');
  const timestamp = getHeader(request, 'x-twilio-email-event-webhook-timestamp');
  const signed = Buffer.concat([Buffer.from(timestamp), request.rawBody]);
  const isSigned = request.secrets.some((secret) => {
    const key = readPublicKey(secret);
    return key !== null && verify('sha256', signed, key, signature);
  });
  if (!isSigned) return FORGED;
  return isFresh(timestamp, request.now, MAX_AGE_SECONDS) ? asEvents : tooOld('26 hours');
}

function readPublicKey(secret: string): KeyObject | null {
  const base64 = secret.replace(/-----[A-Z ]+-----|\s/g, '');
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ec' ? key : null;
  } catch {
    return null;
  }
}

export const sendgrid: Provider = {
  name: 'SendGrid',
  keyName: META_KEY,
  buildHeaders: (key) => [{ name: 'X-SMTPAPI', value: JSON.stringify({ unique_args: { [META_KEY]: checkKey(key) } }) }],
  readReplyId: (reply) => /\bqueued as ([\w-]{10,100})/i.exec(reply)?.[1] ?? null,
  findSecretFault: (secret) =>
    readPublicKey(secret) === null
      ? 'The secret must be the public key of the signed event webhook: base64 that begins with MFkw.'
      : null,
  verify: verifySendGrid,
  readEvents: (rawBody) => parseElements(rawBody).map(toProviderEvent),
};
