export type SendEmailRequest = {
  to: string[];
  cc?: string[];
  bcc?: string[];
  reply_to?: string[];
  from_?: string;
  domain_id?: string;
  subject?: string;
  html?: string;
  text?: string;
  template_id?: string;
  template_vars?: Record<string, string | number | boolean | null>;
  headers?: Record<string, string>;
  tags?: Tag[];
  /** RFC 3339 with an offset. */
  scheduled_at?: string;
};

export type Tag = { name: string; value: string };

/** docs/api.md says what each means. */
export type EmailStatus =
  | 'scheduled'
  | 'queued'
  | 'sending'
  | 'sent'
  | 'deferred'
  | 'bounced'
  | 'failed'
  | 'canceled'
  | 'suppressed'
  | 'delivered'
  | 'complained';

export type AcceptedEmail = {
  object: 'email';
  id: string;
  status: Extract<EmailStatus, 'queued' | 'scheduled'>;
  /** The address really used. */
  from_: string;
  to: string[];
  /** Rendered, in template mode. */
  subject: string;
  created_at: string;
  scheduled_at: string | null;
};

export type EmailSummary = {
  object: 'email';
  id: string;
  status: EmailStatus;
  from_: string;
  to: string[];
  subject: string;
  template_id: string | null;
  tags: Tag[];
  created_at: string;
  scheduled_at: string | null;
};

/** How the newest emails have fared; each counts once, by the state it has now. */
export type EmailStats = {
  object: 'email_stats';
  /** Every email accepted from then on is counted. */
  since: string;
  emails: number;
  /** Whether there are more in the days asked for; `since` is then the time of the oldest that is counted. */
  truncated: boolean;
  /** Every state has its number, 0 too. */
  statuses: Record<EmailStatus, number>;
  /** sent + delivered + complained, over these + bounced + failed; null as long as none of them is there. */
  delivery_rate: number | null;
  /** bounced, over the same. */
  bounce_rate: number | null;
};

/** html, text and template_vars are null for a key without the scope emails:read. */
export type Email = EmailSummary & {
  cc: string[];
  bcc: string[];
  reply_to: string[];
  headers: Record<string, string>;
  domain_id: string | null;
  template_version: number | null;
  /** Of a deferred email, when it is tried again; null in all other states. */
  next_attempt_at: string | null;
  /** Of every copy that is sent, without angle brackets. */
  message_id: string;
  html: string | null;
  text: string | null;
  template_vars: Record<string, unknown> | null;
  recipients: RecipientState[];
  attempts: Attempt[];
  events: EmailEvent[];
};

export type RecipientStatus = Exclude<EmailStatus, 'scheduled' | 'sending'>;

export type RecipientState = {
  address: string;
  kind: 'to' | 'cc' | 'bcc';
  status: RecipientStatus;
  smtp_code: number | null;
  smtp_response: string | null;
};

/** How far an attempt got before it ended; `render` is before any server was asked. */
export type AttemptPhase = 'render' | 'connect' | 'envelope' | 'data' | 'reply';

export type AttemptOutcome = 'sent' | 'partial' | 'deferred' | 'bounced' | 'failed' | 'route_fault' | 'ambiguous';

/** One SMTP conversation; lines start with "C: " (we) or "S: " (the server). */
export type Attempt = {
  attempt: number;
  route: string | null;
  phase: AttemptPhase | null;
  outcome: AttemptOutcome | null;
  conversation: string[];
  started_at: string;
  ended_at: string | null;
};

/** What became of the email or of a recipient, or happened to it meanwhile. */
export type EmailEventType = RecipientStatus | 'scheduled' | 'rescheduled' | 'ambiguous' | 'recovered';

export type EmailEvent = {
  type: EmailEventType;
  created_at: string;
  recipient: string | null;
  detail: string | null;
};
