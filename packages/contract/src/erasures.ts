/** A request to erase a recipient. It does not contain the address. */
export type Erasure = {
  object: 'erasure';
  id: string;
  /** `finished` once nothing is left to erase. */
  status: 'pending' | 'finished';
  /** How many emails have been erased so far, live and test mail together. */
  erased_emails: number;
  /**
   * How many emails will be erased later, because they are being sent or other recipients are waiting for them. Counted
   * up to 1,000.
   */
  waiting_emails: number;
  requested_at: string;
  finished_at: string | null;
};

/** One request to erase a recipient, with the emails that it waits for. */
export type ErasureDetail = Erasure & {
  /** The ids of the emails that `waiting_emails` counts, newest first. At most 100. */
  waiting_email_ids: string[];
};
