import { type Json, parseElements, toMessageId, toText, toTime } from './json.js';
import { checkKey, META_KEY } from './key.js';
import {
  bounced,
  complained,
  deferred,
  delivered,
  findOutcome,
  held,
  type OutcomeTable,
  refused,
  toEvent,
  unsubscribed,
} from './outcome.js';
import type { Provider, ProviderEvent } from './provider.js';
import { toAddresses } from './text.js';
import { findBasicFault, verifyBasic } from './verify.js';

const BLOCKED =
  'The address is on the blocklist of Brevo. Unblock it there under Transactional, Settings, Blocked contacts.';

/** https://developers.brevo.com/docs/transactional-webhooks. The argument is the reason. */
const outcomes: OutcomeTable<string> = {
  delivered,
  deferred: (reason) => deferred(reason),
  hard_bounce: (reason) => bounced({ isPermanent: true, withoutReply: 'bad_mailbox' }, reason),
  soft_bounce: (reason) => bounced({ isPermanent: false }, reason),
  invalid_email: (reason) => bounced({ isPermanent: true, class: 'bad_mailbox' }, reason),
  blocked: (reason) => held('other', BLOCKED, reason),
  error: (reason) => refused(reason, 'relay'),
  spam: () => complained(),
  complaint: () => complained(),
  unsubscribed: () => unsubscribed,
  unsubscribe: () => unsubscribed,
};

const KEY_IN_HEADER = new RegExp(`(?:^|\\|)\\s*${META_KEY}:([\\w.-]+)`);

function toProviderEvent(element: Json): ProviderEvent {
  const event = toText(element.event);
  // `ts` may be in the time zone of the account.
  const seconds = element.ts_event ?? element.ts;
  const subject = {
    name: event,
    key: KEY_IN_HEADER.exec(toText(element['X-Mailin-custom']))?.[1] ?? null,
    providerId: null,
    messageId: toMessageId(element['message-id']),
    addresses: toAddresses(element.email),
    occurredAt: toTime(typeof element.ts_epoch === 'number' ? element.ts_epoch / 1_000 : seconds),
    // `id` is that of the webhook.
    id: [event, element.ts_epoch ?? seconds],
  };
  return toEvent(subject, findOutcome(outcomes, event, toText(element.reason)));
}

export const brevo: Provider = {
  name: 'Brevo',
  keyName: META_KEY,
  buildHeaders: (key) => [{ name: 'X-Mailin-custom', value: `${META_KEY}:${checkKey(key)}` }],
  readReplyId: () => null,
  findSecretFault: findBasicFault,
  verify: verifyBasic,
  readEvents: (rawBody) => parseElements(rawBody).map(toProviderEvent),
};
