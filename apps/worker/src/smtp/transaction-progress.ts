import type { CommandReply } from './reply.js';

/** How far an SMTP transaction has progressed, and what the server has replied so far. */
export type TransactionProgress = {
  /**
   * - envelope: no part of the message has been sent
   * - data: part of it has been sent, so the server does not have the message
   * - reply: all of it has been sent, including the final dot; until the server replies, it may have the message
   */
  phase: 'envelope' | 'data' | 'reply';
  /** Replies to recipients that were refused individually, by address. */
  readonly refusals: Map<string, CommandReply>;
  /** The reply that ended the transaction. It applies to all other recipients. */
  replyForAll: CommandReply | null;
};

export function newProgress(): TransactionProgress {
  return { phase: 'envelope', refusals: new Map(), replyForAll: null };
}
