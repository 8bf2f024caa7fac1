import type { BounceClass } from '@posthorn/contract';
import { type Json, parseElements, toId, toText, toTime } from './json.js';
import { checkKey } from './key.js';
import {
  bounced,
  complained,
  delivered,
  findIn,
  findOutcome,
  held,
  type Outcome,
  type OutcomeTable,
  refused,
  toEvent,
  unsubscribed,
} from './outcome.js';
import type { Provider, ProviderEvent } from './provider.js';
import { toAddresses } from './text.js';
import { findBasicFault, verifyBasic } from './verify.js';

/** https://dev.mailjet.com/email/guides/webhooks/ */
const outcomes: OutcomeTable<Json> = {
  sent: ({ smtp_reply: reply }) => delivered(toText(reply)),
  bounce: toBounce,
  blocked: toBlocked,
  spam: () => complained(),
  unsub: () => unsubscribed,
};

/** What Mailjet's own errors mean; the others are unknown. */
const classes: { readonly [error: string]: BounceClass } = {
  'user unknown': 'bad_mailbox',
  'mailbox inactive': 'inactive',
  'quota exceeded': 'mailbox_full',
  'invalid domain': 'bad_domain',
  'no mail host': 'bad_domain',
  'sender blocked': 'reputation',
  'content blocked': 'content',
  'policy issue': 'reputation',
  'protocol issue': 'protocol',
};

/** Also without `hard_bounce`, Mailjet does not try again. */
function toBounce(facts: Json): Outcome {
  const error = toText(facts.error).toLowerCase();
  const isPermanent = facts.hard_bounce === true;
  const bounceClass = findIn(classes, error);
  const kind = bounceClass === null ? { isPermanent } : { isPermanent, class: bounceClass };
  return bounced(kind, toText(facts.comment), { shown: error });
}

const PREBLOCKED =
  'The address is on a blocklist of Mailjet, after bounces or a complaint. Unblock it there under Statistics, or ask their support.';

/** Mailjet did not try: because of what it knows about the address, or because of us. */
function toBlocked(facts: Json): Outcome {
  const error = toText(facts.error).toLowerCase();
  const text = [error, toText(facts.comment)].filter(Boolean).join(': ');
  const about = findIn(refusals, error);
  return about === null ? held('other', PREBLOCKED, text) : refused(text, about);
}

const refusals: { readonly [error: string]: 'message' | 'blocked' } = {
  'spam preblocked': 'message',
  'content blocked': 'message',
  'policy issue': 'message',
  'duplicate in campaign': 'message',
  'bad or empty template': 'message',
  'error in template language': 'message',
  'sender blocked': 'blocked',
};

function toProviderEvent(element: Json): ProviderEvent {
  const event = toText(element.event);
  // As a number, MessageID may have lost its last digits.
  const providerId = toId(element.Message_GUID) ?? toId(element.mj_message_id);
  const subject = {
    name: [event, toText(element.error)].filter(Boolean).join('/'),
    key: element.CustomID,
    providerId,
    messageId: null,
    addresses: toAddresses(element.email),
    occurredAt: toTime(element.time),
    id: [event, element.time, element.MessageID],
  };
  return toEvent(subject, findOutcome(outcomes, event, element));
}

export const mailjet: Provider = {
  name: 'Mailjet',
  keyName: 'CustomID',
  buildHeaders: (key) => [{ name: 'X-MJ-CustomID', value: checkKey(key) }],
  readReplyId: () => null,
  findSecretFault: findBasicFault,
  verify: verifyBasic,
  readEvents: (rawBody) => parseElements(rawBody).map(toProviderEvent),
};
