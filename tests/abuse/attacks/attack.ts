/** What an attacker sends, and how. Buffers are built once, so that the attacker needs little of the machine's CPU. */
export type Attack = {
  readonly name: string;
  /** What the attacker has: a key of a Free workspace, or nothing. */
  readonly from: 'a Free key' | 'no key';
  readonly connections: number;
  /**
   * - answers: sends a request, reads the response, and sends the next
   * - nothing: sends a request and never reads; opens another connection instead
   * - slowly: sends a request a few bytes at a time
   */
  readonly reads: 'answers' | 'nothing' | 'slowly';
  /** The requests of a connection, in turn. */
  readonly requests: (target: Target) => readonly Buffer[];
};

export type Target = {
  readonly url: string;
  readonly key: string;
  /** A template and an email of the attacker, with 4 MB of html and text. */
  readonly templateId: string;
  readonly emailId: string;
};

export type AttackReport = {
  readonly byStatus: Readonly<Record<string, number>>;
  /** Connections that the server closed or refused. */
  readonly closed: number;
};
