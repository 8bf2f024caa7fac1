import { MessageUnreadable } from '@posthorn/message';
import { toStorableText } from '@posthorn/platform/postgres';
import { inSpan, type Span } from '@posthorn/platform/traces';
import { type Connection, sessionAttributes } from './connection.js';
import { createProgress, type OutgoingMessage, type TransactionProgress } from './outgoing-message.js';
import type { Timeouts } from './relay.js';
import { type CommandReply, findSuspicion, type Suspicion, toCommandReply, toReply } from './reply.js';
import { sendEnvelope } from './send-envelope.js';
import { IntentNotWritten, LeaseEnded, sendMessage } from './send-message.js';

/** The result of one SMTP transaction. */
export type Transaction = {
  readonly phase: 'connect' | TransactionProgress['phase'];
  /**
   * completed: every recipient has a reply.
   *
   * broken: the connection failed before the whole message was sent, so the server does not have it.
   *
   * ambiguous: the connection failed after the final dot, so the server may have the message.
   *
   * route_fault: no session could be opened, or the circuit breaker found that the relay is at fault.
   *
   * lease_ended: we stopped before the first byte of the message, or before its end.
   *
   * withheld: we stopped in the middle of the message, because an attachment could not be read or the handoff intent
   * could not be written.
   */
  readonly end: 'completed' | 'broken' | 'ambiguous' | 'route_fault' | OurEnd;
  /** Whether the relay may be at fault, and why. The circuit breaker finds out whether it is. */
  readonly suspicion: Suspicion | null;
  /** By recipient. A recipient that was refused individually keeps its own reply, however the transaction ended. */
  readonly replies: ReadonlyMap<string, CommandReply>;
  /** What went wrong: an error, or the reply that makes the relay suspect; null if there is neither. */
  readonly fault: string | null;
  /** The code of the reply or error, for logs. The server's text is not logged, because it may name a recipient. */
  readonly faultCode: string | null;
  readonly conversation: readonly string[];
};

/** How a transaction ends when we end it ourselves. The relay and its replies are not the cause. */
type OurEnd = 'lease_ended' | 'withheld';

const MAX_FAULT_CHARACTERS = 500;

/** Sends one message over an open connection. Never throws: however the transaction ends, a result is returned. */
export async function runTransaction(
  connection: Connection,
  outgoing: OutgoingMessage,
  timeouts: Timeouts,
): Promise<Transaction> {
  const progress = createProgress();
  const timers = startTimers(connection, progress, timeouts);
  try {
    if (isTooLarge(connection, outgoing)) progress.replyForAll = buildTooLargeReply(connection);
    else if (
      await inSpan(startPhase('smtp mail', connection, outgoing), () => sendEnvelope(connection, outgoing, progress))
    )
      await inSpan(startPhase('smtp data', connection, outgoing), () => sendMessage(connection, outgoing, progress));
    return completed(outgoing, progress, connection.conversation.take());
  } catch (error) {
    return broken(error as Error, progress, connection.conversation.take());
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

/** @returns undefined if the email is not traced */
function startPhase(name: string, connection: Connection, { span }: OutgoingMessage): Span | undefined {
  return span?.startStep(name, { kind: 'client', attributes: sessionAttributes(connection) });
}

/** Limits how long we wait for a server that keeps sending bytes but never finishes. */
function startTimers(
  connection: Connection,
  progress: TransactionProgress,
  { untilDataMs, transactionMs }: Timeouts,
): NodeJS.Timeout[] {
  const abort = (why: string, limitMs: number) => {
    connection.dialogue.fail(new Error(`${why} ${limitMs / 1_000} seconds`));
    connection.close();
  };
  const abortEnvelope = () =>
    progress.phase === 'envelope' && abort('The server did not accept the envelope within', untilDataMs);
  return [
    setTimeout(abortEnvelope, untilDataMs),
    setTimeout(abort, transactionMs, 'The SMTP transaction took longer than', transactionMs),
  ];
}

function isTooLarge({ maxBytes }: Connection, { message }: OutgoingMessage): boolean {
  return maxBytes > 0 && message.length > maxBytes;
}

/** The reply that the server would send, given the limit it announced (RFC 1870, 6.1). */
function buildTooLargeReply({ maxBytes }: Connection): CommandReply {
  const text = `552 5.3.4 The message is larger than the server's limit of ${maxBytes} bytes`;
  return toCommandReply(toReply(552, text), 'MAIL');
}

function completed(
  { envelope }: OutgoingMessage,
  progress: TransactionProgress,
  conversation: readonly string[],
): Transaction {
  const { phase, refusals, replyForAll } = progress;
  const suspect = findSuspectReply(progress);
  const suspicion = suspect === null ? null : findSuspicion(suspect);
  const fault = suspect?.reply.text ?? null;
  const faultCode = suspect?.reply.code?.toString() ?? null;
  const replies = new Map(refusals);
  for (const address of envelope.to)
    if (replyForAll !== null && !replies.has(address)) replies.set(address, replyForAll);
  return { phase, end: 'completed', suspicion, replies, fault, faultCode, conversation };
}

/**
 * The reply that makes the relay suspect: the reply for all recipients or, if each was refused individually, the reply
 * to one of them.
 */
function findSuspectReply({ refusals, replyForAll }: TransactionProgress): CommandReply | null {
  if (replyForAll !== null) return findSuspicion(replyForAll) === null ? null : replyForAll;
  return [...refusals.values()].find((refusal) => findSuspicion(refusal) !== null) ?? null;
}

function broken(error: Error, { phase, refusals }: TransactionProgress, conversation: readonly string[]): Transaction {
  const suspicion = findOurEnd(error) === null ? 'session' : null;
  const fault = toFaultText(error);
  return { phase, end: toEnd(error, phase), suspicion, replies: refusals, fault, faultCode: null, conversation };
}

/** The error's message, shortened and cleaned so that it can be stored. */
export function toFaultText({ message }: Error): string {
  return toStorableText(message.slice(0, MAX_FAULT_CHARACTERS));
}

function toEnd(error: Error, phase: TransactionProgress['phase']): Transaction['end'] {
  return findOurEnd(error) ?? (phase === 'reply' ? 'ambiguous' : 'broken');
}

function findOurEnd(error: Error): OurEnd | null {
  if (error instanceof LeaseEnded) return 'lease_ended';
  return error instanceof MessageUnreadable || error instanceof IntentNotWritten ? 'withheld' : null;
}
