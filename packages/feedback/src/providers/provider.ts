import type { BounceClass } from '@posthorn/contract';
import type { RefusedPart } from '../bounce-rule.js';

/**
 * What an event says about the recipient. `held` and `refused` mean that the provider did not try: because of a list of
 * its own, or because of us, our account or the message. `ignored` changes nothing, for example an open.
 */
export type ProviderEventKind =
  | 'delivered'
  | 'bounced'
  | 'deferred'
  | 'complained'
  | 'unsubscribed'
  | 'held'
  | 'refused'
  | 'ignored';

/** Why an address is on a provider's list. `unsubscribes` means that the person left there. */
export type HeldList = 'bounces' | 'complaints' | 'unsubscribes' | 'other';

/** One event of a provider. All providers share this shape. */
export type ProviderEvent = {
  /** The provider's own words for it, such as `bounce/blocked`, for logs. */
  readonly name: string;
  readonly kind: ProviderEventKind;
  /** The key of the header that we added; null if the provider did not return it. */
  readonly key: string | null;
  /** The provider's id of the message, in the form that `readReplyId` returns. */
  readonly providerId: string | null;
  /** Our Message-ID without angle brackets, where the provider repeats it. */
  readonly messageId: string | null;
  /** Whom the event names, in lower case and without display names and quotes. Empty if it names nobody. */
  readonly addresses: readonly string[];
  /**
   * Whether the event is about each of `addresses`. If not, it is about one of them, and the provider does not say which:
   * only if just one of them is a recipient of the envelope, it is about that one.
   */
  readonly isSure: boolean;
  /** null unless it bounced or, with `content`, unless the provider refused the message. */
  readonly bounceClass: BounceClass | null;
  /**
   * Whether it says that the address does not work, or that the person complained or left. For a bounce, its class decides
   * how many it takes.
   */
  readonly maySuppress: boolean;
  /** The SMTP code that a mail server replied with, if the provider repeats it. */
  readonly code: number | null;
  /** What the mail server or the provider said, on one line and shortened. */
  readonly text: string | null;
  /** What was refused. `relay` means that the provider did not understand us, and does not say more. */
  readonly about: RefusedPart | 'relay' | null;
  /** The provider's list that the address is on; null unless it is held. */
  readonly list: HeldList | null;
  /** A sentence about that list and how to lift it. */
  readonly advice: string | null;
  /** The same whenever the event is sent again. Unique among the events of one email. Contains no address. */
  readonly eventId: string;
  readonly occurredAt: Date | null;
};

/** @returns the certificate in PEM; null if there is none at this URL. @throws if it cannot be fetched for now */
export type FetchCertificate = (url: string) => Promise<string | null>;

/** A request that claims to come from a provider. */
export type FeedbackRequest = {
  /** By name in lower case, as in Node's IncomingHttpHeaders. */
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly rawBody: Buffer;
  /** Each of them is valid. */
  readonly secrets: readonly string[];
  readonly now: Date;
  /** The only SNS topic that is believed; null until the first one was confirmed. Only Amazon SES needs it. */
  readonly pinnedTopic: string | null;
  /** Only Amazon SES needs it. Wrap it with `cacheCertificates`. */
  readonly fetchCertificate: FetchCertificate;
};

export type RefusalReason = 'forged' | 'too_old' | 'other_topic' | 'raw_delivery' | 'no_certificate';

/** What to do with a request. */
export type Verification =
  /** @property token if the signature does not cover the body, it may be used for one body only */
  | { readonly result: 'events'; readonly token: string | null }
  /** Fetch the URL once, without following redirects. If that succeeds, pin the topic. */
  | { readonly result: 'confirm'; readonly topic: string; readonly url: string; readonly messageId: string }
  /** Answer 200. Do not visit its URL. */
  | { readonly result: 'unsubscribed'; readonly topic: string }
  | {
      readonly result: 'refused';
      readonly status: 401 | 406 | 503;
      readonly wwwAuthenticate: string | null;
      readonly reason: RefusalReason;
      /** A sentence for the operator. Contains no secret. */
      readonly detail: string;
    };

export type FeedbackHeader = { readonly name: string; readonly value: string };

/** A service that relays our mail and posts to us what happened to it. */
export type Provider = {
  readonly name: string;
  /** Under which name the provider returns our key. */
  readonly keyName: string;
  /**
   * The headers of a message that goes out by this provider, so that it returns the key with each event. It may remove or
   * rewrite them.
   * @param key names an email and its recipient: up to 80 letters, digits, hyphens, underscores and dots
   * @throws Error if the key has other characters
   */
  readonly buildHeaders: (key: string) => readonly FeedbackHeader[];
  /** The provider's id in its 250 reply to the message; null if that is not the id in its events. */
  readonly readReplyId: (reply: string) => string | null;
  /** What is wrong with a secret for `verify`, in a sentence that begins with "The secret"; null if it can be used. */
  readonly findSecretFault: (secret: string) => string | null;
  readonly verify: (request: FeedbackRequest) => Promise<Verification>;
  /** Reads a verified body. What is unknown, strange or no JSON gives ignored events or none. */
  readonly readEvents: (rawBody: Buffer) => ProviderEvent[];
};
