import type { SmtpReply } from './reply.js';

export type Envelope = { readonly from: string; readonly to: readonly string[] };

/** @property mayStart asked at the last moment at which nothing has been sent */
export type OutgoingMessage = {
  readonly envelope: Envelope;
  readonly message: Buffer;
  readonly mayStart: () => boolean;
};

export type CommandReply = { readonly reply: SmtpReply; readonly command: 'MAIL' | 'RCPT' | 'DATA' };

/** How far a transaction came, and what the server has said of it. */
export type TransactionProgress = {
  /**
   * - envelope: nothing of the message has been sent
   * - data: some of it; nobody has it
   * - reply: all of it, final dot included, is on its way: without a reply nobody knows who has it
   */
  phase: 'envelope' | 'data' | 'reply';
  /** Recipients that were refused by name. */
  readonly refusals: Map<string, CommandReply>;
  /** The answer that ended it, for everybody else. */
  replyForAll: CommandReply | null;
};

export function newProgress(): TransactionProgress {
  return { phase: 'envelope', refusals: new Map(), replyForAll: null };
}
