import type { BounceClass } from '@posthorn/contract';
import type { BounceReply } from './classify-bounce.js';

/** What happened to the message (RFC 3464, 2.3.3). */
export const deliveryActions = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const;

export type DeliveryAction = (typeof deliveryActions)[number];

/** What a report says about one recipient. */
export type ReportedRecipient = {
  /** The address that the message was for in the end, for example after forwarding; null if the report hides it. */
  readonly address: string | null;
  /** The address that we sent to; null if the report does not repeat it. */
  readonly originalAddress: string | null;
  readonly action: DeliveryAction;
  readonly reply: BounceReply;
  /** null unless the action is `failed`. */
  readonly class: BounceClass | null;
};

/** How a mailbox provider says what its user did (RFC 5965, 7.3). Only the first two are complaints. */
export const feedbackTypes = ['abuse', 'fraud', 'not-spam', 'auth-failure', 'virus', 'opt-out', 'other'] as const;

export type FeedbackType = (typeof feedbackTypes)[number];

export type Report =
  | {
      readonly kind: 'dsn';
      /** Whether the recipients were read from the fields of RFC 3464, or from text for people. */
      readonly format: 'fields' | 'text';
      readonly recipients: readonly ReportedRecipient[];
      /** The envelope senders that the report names. The token in one of them identifies the email. */
      readonly returnPaths: readonly string[];
    }
  | {
      readonly kind: 'feedback_report';
      readonly feedbackType: FeedbackType;
      /** The recipients that the report names. Most providers hide them (RFC 6590). */
      readonly addresses: readonly string[];
      /** As in a `dsn`. A forwarder may have replaced one of the two. */
      readonly returnPaths: readonly string[];
    }
  /** An automatic reply, such as an out-of-office message (RFC 3834). */
  | { readonly kind: 'auto_reply' }
  /** Not a report that we know. */
  | { readonly kind: 'other' };
