import type { Message } from '@posthorn/message';
import type { Span } from '@posthorn/platform/traces';

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
