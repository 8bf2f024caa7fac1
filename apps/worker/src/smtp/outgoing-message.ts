import type { Message } from '@posthorn/message';
import type { Span } from '@posthorn/platform/traces';
import type { CommandReply } from './reply.js';

export type Envelope = { readonly from: string; readonly to: readonly string[] };

export type OutgoingMessage = {
  /** The sender's workspace. If the transactions of several workspaces fail in a row, the relay is at fault. */
  readonly workspaceId: string;
  readonly envelope: Envelope;
  readonly message: Message;
  /** Called right before the first byte of the message is sent. If it returns false, nothing is sent. */
  readonly mayStart: () => boolean;
  /**
   * Called right before the end of the message is sent, without which the server does not have the message. If it
   * resolves to false, the end is not sent. Undefined if the email needs no handoff intent.
   * @throws IntentNotWritten
   */
  readonly mayEnd?: (() => Promise<boolean>) | undefined;
  /** The span of the attempt, if the email is traced. */
  readonly span?: Span | undefined;
};

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

export function createProgress(): TransactionProgress {
  return { phase: 'envelope', refusals: new Map(), replyForAll: null };
}
