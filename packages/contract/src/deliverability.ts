import type { WorkspacePause } from './accounts.js';
import type { BounceClass } from './statuses.js';

/** The bounce and complaint rates of a workspace's live mail. */
export type Deliverability = {
  object: 'deliverability';
  /**
   * `warning` if a rate of the last 7 days has reached a limit, of the workspace or of a sending domain, `paused` if new emails are refused. After the
   * workspace was resumed, only what happened since then counts.
   */
  status: 'ok' | 'warning' | 'paused';
  /** null unless the status is `paused`. */
  paused: WorkspacePause | null;
  limits: {
    bounce_rate: RateLimits;
    complaint_rate: RateLimits;
    /** With fewer recipients, there are no rates. */
    min_sent: number;
    /** With fewer complaints, the complaint rate has no consequences. */
    min_complaints: number;
    /** Bounces pause a workspace only if they are at this many receiving domains, or a hundred are at one. */
    min_bouncing_domains: number;
  };
  /** The last 24 hours, 7 days and 30 days. */
  windows: SendingWindow[];
  /** The same for each sending domain, those with most recipients first. */
  domains: DomainDeliverability[];
  /** The bounces of the last 7 days by class, the most frequent first. */
  bounces: BounceCount[];
};

/** From `warning` on, the owners are warned. From `pause` on, the workspace is paused. Both are between 0 and 1. */
export type RateLimits = { warning: number; pause: number };

/** Counts recipients, not emails. */
export type SendingWindow = {
  window: '24h' | '7d' | '30d';
  /** Recipients whose mail server took the message or refused it. */
  sent: number;
  /** Recipients whose mail server refused the message, at once or later. */
  bounced: number;
  /** The bounces of the classes `bad_mailbox` and `inactive`. */
  hard_bounced: number;
  /** The bounces that say something about the recipient: `bad_mailbox`, `inactive`, `bad_domain` and `mailbox_full`. */
  counted_bounces: number;
  /** People who marked an email as spam, each once, and complaints that hide the person, if the provider signed them. */
  complained: number;
  /** Complaints that no provider signed. They suppress the address, but no rate contains them. */
  unauthenticated_complaints: number;
  /** `counted_bounces` divided by `sent`. null if too few recipients were sent to. */
  bounce_rate: number | null;
  /** `complained` divided by `sent`. null if too few recipients were sent to. */
  complaint_rate: number | null;
  /** Which limit one of the rates has reached. Only the window of 7 days has consequences. */
  status: 'ok' | 'warning' | 'pause';
};

/** Which limits the rates have reached: none, those for a warning, or those for a pause. */
export type RateLevel = SendingWindow['status'];

export type DomainDeliverability = {
  /** null for the platform domain. */
  domain_id: string | null;
  /** null for a domain that was deleted. */
  name: string | null;
  windows: SendingWindow[];
};

export type BounceCount = { class: BounceClass; count: number };

/** A recipient whose mail server refused an email. */
export type Bounce = {
  object: 'bounce';
  id: string;
  email_id: string;
  recipient: string;
  class: BounceClass;
  /** What the mail server said. */
  reply: string | null;
  created_at: string;
};
