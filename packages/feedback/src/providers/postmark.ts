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

/** https://postmarkapp.com/developer/webhooks/webhooks-overview */
const outcomes: OutcomeTable<Json> = {
  Delivery: ({ Details: details }) => delivered(toText(details)),
  Bounce: toBounce,
  SpamComplaint: () => complained(),
  SubscriptionChange: toSubscriptionChange,
};

/**
 * The types of bounces that end a delivery. Replies by mail, such as those of the types AutoResponder and Unsubscribe, and
 * types that are not in the table change nothing.
 * https://postmarkapp.com/developer/api/bounce-api#bounce-types
 */
const kinds: { readonly [type: string]: BounceKind } = {
  HardBounce: { isPermanent: true, withoutReply: 'bad_mailbox' },
  BadEmailAddress: { isPermanent: true, withoutReply: 'bad_mailbox' },
  SoftBounce: { isPermanent: false },
  DnsError: { isPermanent: false },
  SpamNotification: { isPermanent: false, class: 'content' },
  VirusNotification: { isPermanent: false, class: 'content' },
  Blocked: { isPermanent: false, otherwise: 'reputation' },
  DMARCPolicy: { isPermanent: false, class: 'authentication' },
  Unknown: { isPermanent: false },
};

const INACTIVE = 'The address is on the suppression list of Postmark. Reactivate it there under Suppressions.';

function toBounce(facts: Json): Outcome {
  const type = toText(facts.Type);
  const details = toText(facts.Details);
  const shown = toText(facts.Description);
  if (type === 'Transient') return deferred(details || shown);
  if (type === 'SpamComplaint') return complained();
  if (type === 'ManuallyDeactivated') return held('other', INACTIVE, details || shown);
  if (type === 'SMTPApiError' || type === 'TemplateRenderingFailed') return toRefused(details || shown);
  const kind = findIn(kinds, type);
  return kind === null ? ignored : bounced(kind, details, { shown });
}

/** Postmark takes any message by SMTP and looks at it later. */
function toRefused(text: string): Outcome {
  return /\binactive (?:recipient|address)|\bmarked as inactive\b/i.test(text)
    ? held('other', INACTIVE, text)
    : refused(text, 'relay');
}

/** A bounce and a complaint also change the list, but they come as events of their own. */
function toSubscriptionChange(facts: Json): Outcome {
  const isByPerson = facts.SuppressionReason === 'ManualSuppression' && facts.Origin === 'Recipient';
  return facts.SuppressSending === true && isByPerson ? unsubscribed : ignored;
}

/** Postmark's test button sends zeros. */
const NO_ID = /^[0-]+$/;

function toProviderEvent(element: Json): ProviderEvent {
  const { RecordType: recordType, Type: type, ID: id, MessageID: messageId } = element;
  const time = element.DeliveredAt ?? element.BouncedAt ?? element.ChangedAt;
  const providerId = toId(messageId);
  const subject = {
    name: [recordType, type].map(toText).filter(Boolean).join('/'),
    key: findByName(toObject(element.Metadata), META_KEY),
    providerId: providerId !== null && NO_ID.test(providerId) ? null : providerId,
    messageId: null,
    addresses: toAddresses(element.Email ?? element.Recipient),
    occurredAt: toTime(time),
    id: [recordType, type, id ?? time],
  };
  return toEvent(subject, findOutcome(outcomes, toText(recordType), element));
}

export const postmark: Provider = {
  name: 'Postmark',
  keyName: META_KEY,
  buildHeaders: (key) => [
    { name: 'X-PM-KeepID', value: 'true' },
    { name: `X-PM-Metadata-${META_KEY}`, value: checkKey(key) },
  ],
  // The queue id in the reply is not the MessageID of the events.
  readReplyId: () => null,
  findSecretFault: findBasicFault,
  verify: verifyBasic,
  readEvents: (rawBody) => parseElements(rawBody).map(toProviderEvent),
};
