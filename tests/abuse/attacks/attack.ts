/** What an attacker sends, and how. Buffers are built once, so that the attacker uses little CPU. */
export type Attack = {
  readonly name: string;
  /** The attacker's credentials: the API key of a Free workspace, or none. */
  readonly from: 'a Free key' | 'no key';
  readonly connections: number;
  /**
   * - reads responses: sends a request, reads the response, and sends the next
   * - reads slowly: sends a request and reads 2 kB of the response a second; reconnects as below
   * - never reads: sends a request and never reads; reconnects when the server closes the connection
   * - sends slowly: sends a request a few bytes at a time
   */
  readonly behaviour: 'reads responses' | 'reads slowly' | 'never reads' | 'sends slowly';
  /** How much the attacker's workspace may keep, so that the attack reaches the limit in time. By default, its plan's. */
  readonly storageBytes?: number;
  /** The requests to send, one after another, in a loop. */
  readonly requests: (target: Target) => readonly Buffer[];
  /** How many times higher the other tenant's p99 may be, if that is more than for the other attacks. */
  readonly maxSlowdown?: number;
  /** Whether the attack is on downloads. The other tenant then downloads too, and neither may become slower than that. */
  readonly isOnDownloads?: boolean;
};

export type Target = {
  readonly url: string;
  readonly key: string;
  /** For test mail. */
  readonly testKey: string;
  /** The attacker's template and email. Each has 4 MB of html and text in total. */
  readonly templateId: string;
  readonly emailId: string;
  readonly download: Download;
};

/** A test email with a file, and a key that may read its message. */
export type Download = { readonly key: string; readonly path: string };

export type AttackReport = {
  readonly byStatus: Readonly<Record<string, number>>;
  /** Connections that the server closed or refused. */
  readonly closed: number;
};
