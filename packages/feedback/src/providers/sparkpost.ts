import { type Json, parseElements, toId, toObject, toText, toTime } from './json.js';
import { checkKey, findByName, META_KEY } from './key.js';
import {
  type BounceKind,
  bounced,
  complained,
  deferred,
  delivered,
  findIn,
  findOutcome,
  held,
  ignored,
  type Outcome,
  type OutcomeTable,
  refused,
  toEvent,
  unsubscribed,
} from './outcome.js';
import type { Provider, ProviderEvent } from './provider.js';
import { toAddresses } from './text.js';
import { findBasicFault, verifyBasic } from './verify.js';

/** https://developers.sparkpost.com/api/webhooks/ */
const outcomes: OutcomeTable<Json> = {
  delivery: (facts) => delivered(readReply(facts)),
  delay: (facts) => deferred(readReply(facts)),
  bounce: toBounce,
  out_of_band: toBounce,
  spam_complaint: ({ fbtype }) => complained(toText(fbtype)),
  policy_rejection: (facts) => toRefused(facts, 'relay'),
  generation_rejection: (facts) => toRefused(facts, 'relay'),
  generation_failure: (facts) => toRefused(facts, 'message'),
  list_unsubscribe: () => unsubscribed,
  link_unsubscribe: () => unsubscribed,
};

/**
 * By class. Replies by mail (60 auto-reply, 80 subscribe, 90 unsubscribe, 100 challenge) and classes that are not in the
 * table change nothing.
 * https://support.sparkpost.com/docs/deliverability/bounce-classification-codes
 */
const kinds: { readonly [bounceClass: string]: BounceKind } = {
  1: { isPermanent: false },
  10: { isPermanent: true, withoutReply: 'bad_mailbox' },
  20: { isPermanent: false },
  21: { isPermanent: false },
  22: { isPermanent: false, class: 'mailbox_full' },
  23: { isPermanent: false, class: 'content' },
  24: { isPermanent: false },
  30: { isPermanent: true },
  40: { isPermanent: false },
  50: { isPermanent: false, otherwise: 'reputation' },
  51: { isPermanent: false, otherwise: 'reputation' },
  52: { isPermanent: false, class: 'content' },
  53: { isPermanent: false, class: 'content' },
  // The recipient's server refused to relay, so this is not about us.
  54: { isPermanent: false },
  70: { isPermanent: false },
};

/** SparkPost did not try to deliver the message, by a policy of the account or by its suppression list. */
const ADMINISTRATIVE = ['25', '26'];

function toBounce(facts: Json): Outcome {
  const bounceClass = toText(facts.bounce_class);
  if (ADMINISTRATIVE.includes(bounceClass)) return toRefused(facts, 'relay');
  const kind = findIn(kinds, bounceClass);
  return kind === null ? ignored : bounced(kind, readReply(facts));
}

const SUPPRESSED =
  'The address is on the suppression list of SparkPost. Remove it there under Recipients, Suppressions.';

function toRefused(facts: Json, otherwise: 'message' | 'relay'): Outcome {
  const text = readReply(facts);
  return /\bsuppress/i.test(text) ? held('other', SUPPRESSED, text) : refused(text, otherwise);
}

function readReply({ reason, raw_reason: raw, error_code: code }: Json): string {
  const text = toText(reason) || toText(raw);
  return /^\d{3}\b/.test(text) ? text : `${toText(code)} ${text}`.trim();
}

function toProviderEvent(element: Json): ProviderEvent {
  // The only property, such as message_event, names the kind of event.
  const [facts = {}] = Object.values(toObject(element.msys)).map(toObject);
  const type = toText(facts.type);
  const subject = {
    name: [type, toText(facts.bounce_class)].filter(Boolean).join('/'),
    key: findByName(toObject(facts.rcpt_meta), META_KEY),
    providerId: toId(facts.message_id),
    messageId: null,
    addresses: toAddresses(facts.raw_rcpt_to ?? facts.rcpt_to),
    occurredAt: toTime(facts.timestamp),
    id: [type, facts.event_id ?? facts.timestamp],
  };
  return toEvent(subject, findOutcome(outcomes, type, facts));
}

export const sparkpost: Provider = {
  name: 'SparkPost',
  keyName: META_KEY,
  buildHeaders: (key) => [{ name: 'X-MSYS-API', value: JSON.stringify({ metadata: { [META_KEY]: checkKey(key) } }) }],
  // The id in the reply is not the message_id of the events.
  readReplyId: () => null,
  findSecretFault: findBasicFault,
  verify: verifyBasic,
  readEvents: (rawBody) => parseElements(rawBody).map(toProviderEvent),
};
