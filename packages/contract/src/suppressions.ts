/** Why an address gets no mail. */
export const suppressionReasons = [
  /** Mail to the address bounced: once if the mailbox does not exist or is no longer used, otherwise repeatedly. */
  'hard_bounce',
  /** The recipient marked an email as spam. */
  'complaint',
  /** The recipient does not want mail of a topic, or of any topic. */
  'unsubscribe',
  /** A user or an operator added it. */
  'manual',
] as const;

/**
 * Why an address is suppressed: mail to it bounced, the recipient marked an email as spam or unsubscribed, or someone
 * added the address.
 */
export type SuppressionReason = (typeof suppressionReasons)[number];

/** An address that gets no mail, or no mail of one topic. */
export type Suppression = {
  object: 'suppression';
  id: string;
  /** In lower case. null after the recipient was erased; mail to them is still not sent. */
  address: string | null;
  /** The only topic that the suppression is about. null if it is about all mail. */
  topic: string | null;
  reason: SuppressionReason;
  /** The email that led to it. null if none did. */
  email_id: string | null;
  /** What the mail server said, or where the suppression comes from. Can be null. */
  detail: string | null;
  created_at: string;
};

export type CreateSuppressionRequest = {
  /** The address without a name, such as jane@example.com. */
  address: string;
  /** Always `manual`, which is the default. To add other reasons, import them. */
  reason?: 'manual';
  /** Suppress only mail of this topic. By default, all mail. */
  topic?: string | null;
};

/** `rows` is how many rows the file had below its header, and `added` how many suppressions are new. */
export type SuppressionImport = { object: 'suppression_import'; rows: number; added: number };

/** Limits that the dashboard names too. The domain's table of limits has all of them. */
export const suppressionLimits = { importedRows: 10_000, importedBytes: 1_000_000, removalReason: 500 } as const;
