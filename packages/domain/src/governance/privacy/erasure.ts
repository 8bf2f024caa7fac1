/** The order of the steps. The first three look for emails and stored responses; `rest` waits for unfinished emails. */
export type ErasureStep = 'recipients' | 'reply_to' | 'responses' | 'rest' | 'done';

/** A request to erase a recipient, as an owner sees it. It never shows the address. */
export type Erasure = {
  readonly id: string;
  readonly status: 'pending' | 'finished';
  /** How many emails have been erased so far. */
  readonly erasedEmails: number;
  /**
   * How many emails still have to be erased, because they are being sent or other recipients are waiting for them.
   * Counted up to 1,000.
   */
  readonly waitingEmails: number;
  readonly requestedAt: Date;
  readonly finishedAt: Date | null;
};

/** What a step of an erasure needs to know. */
export type ErasureWork = {
  readonly id: string;
  /** The live workspace, and the one with its test mail. */
  readonly liveId: string;
  readonly testId: string | null;
  /** In lower case. */
  readonly address: string;
  /** Only emails with lower ids are erased. */
  readonly below: string;
  readonly step: ErasureStep;
  readonly isInTestMail: boolean;
  /** The last email or idempotency key that the step has looked at; null if it has not begun. */
  readonly resumeAfter: string | null;
};

/** How far an erasure has got after a batch. */
export type ErasureProgress = Pick<ErasureWork, 'step' | 'isInTestMail' | 'resumeAfter'> & {
  /** How long to wait before the next batch. */
  readonly pauseSeconds: number;
  /** How many emails the batch erased. */
  readonly erased: number;
};
