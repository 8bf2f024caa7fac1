import { type BounceKind, bounced, findIn, held, type Outcome } from './outcome.js';

/**
 * The types of bounces of Amazon SES, which Resend shares, by type and subtype.
 * https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html
 */
const kinds: { readonly [type: string]: BounceKind } = {
  'Permanent/NoEmail': { isPermanent: true, withoutReply: 'bad_mailbox' },
  'Transient/MailboxFull': { isPermanent: false, class: 'mailbox_full' },
  'Transient/MessageTooLarge': { isPermanent: false, class: 'content' },
  'Transient/ContentRejected': { isPermanent: false, class: 'content' },
  'Transient/AttachmentRejected': { isPermanent: false, class: 'content' },
  Permanent: { isPermanent: true },
  // Amazon SES stopped trying, or does not know what the reply means.
  Transient: { isPermanent: false },
  Undetermined: { isPermanent: false },
};

/** How to lift an address from the lists of a service whose bounces these are. */
export type SesLists = { readonly global: string; readonly account: string; readonly contacts: string };

export type SesBounce = {
  readonly type: string;
  readonly subType: string;
  /** What the mail server replied. */
  readonly words: string;
  readonly status: string;
};

/** @returns null if the type is unknown */
export function readSesBounce({ type, subType, words, status }: SesBounce, lists: SesLists): Outcome | null {
  if (subType === 'Suppressed') return held('bounces', lists.global, words);
  if (subType === 'OnAccountSuppressionList') return held('other', lists.account, words);
  if (subType === 'UnsubscribedRecipient') return held('unsubscribes', lists.contacts, words);
  const kind = findIn(kinds, `${type}/${subType}`) ?? findIn(kinds, type);
  return kind && bounced(kind, words, { status });
}
