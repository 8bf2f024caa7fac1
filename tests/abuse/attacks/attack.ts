/** What an attacker sends, and how. Buffers are built once, so that the attacker uses little CPU. */
export type Attack = {
  readonly name: string;
  /** The attacker's credentials: the API key of a Free workspace, or none. */
  readonly from: 'a Free key' | 'no key';
  readonly connections: number;
  /**
   * - reads responses: sends a request, reads the response, and sends the next
   * - never reads: sends a request and never reads; reconnects when the server closes the connection
   * - sends slowly: sends a request a few bytes at a time
   */
  readonly behaviour: 'reads responses' | 'never reads' | 'sends slowly';
  /** The requests to send, one after another, in a loop. */
  readonly requests: (target: Target) => readonly Buffer[];
};

export type Target = {
  readonly url: string;
  readonly key: string;
  /** The attacker's template and email. Each has 4 MB of html and text in total. */
  readonly templateId: string;
  readonly emailId: string;
};

export type AttackReport = {
  readonly byStatus: Readonly<Record<string, number>>;
  /** Connections that the server closed or refused. */
  readonly closed: number;
};
