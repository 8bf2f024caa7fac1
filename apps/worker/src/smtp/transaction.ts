import { storableText } from '@posthorn/domain';
import type { Connection } from './connection.js';
import { type CommandReply, newProgress, type OutgoingMessage, type TransactionProgress } from './progress.js';
import { concernsRoute, toReply } from './reply.js';
import { sendEnvelope } from './send-envelope.js';
import { LeaseEnded, sendMessage } from './send-message.js';
import type { Timeouts } from './timeouts.js';

/** What one SMTP transaction tells about each recipient. */
export type Transaction = {
  readonly phase: 'connect' | TransactionProgress['phase'];
  /**
   * - answered: every recipient has a reply
   * - broken: the link failed before the message was out; nobody has it
   * - ambiguous: the link failed after the final dot; somebody may have it
   * - route_fault: the server refused us, not the mail
   * - lease_ended: we stopped it ourselves before its first byte
   */
  readonly end: 'answered' | 'broken' | 'ambiguous' | 'route_fault' | 'lease_ended';
  /** Whatever the end: a recipient that was refused by name has its reply. */
  readonly replies: ReadonlyMap<string, CommandReply>;
  /** What broke, for an end other than `answered`. */
  readonly fault: string | null;
  /** The same for logs: a reply's code or an error's, for the server's text may name a recipient. */
  readonly faultCode: string | null;
  readonly conversation: readonly string[];
};

const MAX_FAULT_CHARACTERS = 500;

/** Sends one message over an open connection. Never throws: every end is a result. */
export async function runTransaction(
  connection: Connection,
  outgoing: OutgoingMessage,
  timeouts: Timeouts,
): Promise<Transaction> {
  const progress = newProgress();
  const timers = startTimers(connection, progress, timeouts);
  try {
    if (isTooLarge(connection, outgoing)) progress.replyForAll = tooLarge(connection);
    else if (await sendEnvelope(connection, outgoing, progress)) await sendMessage(connection, outgoing, progress);
    return answered(outgoing, progress, connection.conversation.take());
  } catch (error) {
    return broken(error as Error, progress, connection.conversation.take());
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

/** Bounds for a server that is never silent, and never done. */
function startTimers(
  connection: Connection,
  progress: TransactionProgress,
  { untilDataMs, wholeMs }: Timeouts,
): NodeJS.Timeout[] {
  const breakOff = (why: string) => {
    connection.dialogue.end(new Error(why));
    connection.close();
  };
  const tarpit = () => progress.phase === 'envelope' && breakOff('The server took too long to take the envelope');
  return [setTimeout(tarpit, untilDataMs), setTimeout(breakOff, wholeMs, 'The server took too long')];
}

function isTooLarge({ maxBytes }: Connection, { message }: OutgoingMessage): boolean {
  return maxBytes > 0 && message.length > maxBytes;
}

/** The server was not asked, but this is its answer (RFC 1870, 6.1). */
function tooLarge({ maxBytes }: Connection): CommandReply {
  return {
    reply: toReply(552, `552 5.3.4 The message is larger than the ${maxBytes} bytes allowed`),
    command: 'MAIL',
  };
}

function answered(
  { envelope }: OutgoingMessage,
  progress: TransactionProgress,
  conversation: readonly string[],
): Transaction {
  const { phase, refusals, replyForAll } = progress;
  const last = replyForAll ?? lastWord(refusals);
  if (phase === 'envelope' && last !== undefined && concernsRoute(last.reply, last.command)) {
    const { code, text } = last.reply;
    return { phase, end: 'route_fault', replies: refusals, fault: text, faultCode: String(code), conversation };
  }
  const replies = new Map(refusals);
  for (const address of envelope.to)
    if (replyForAll !== null && !replies.has(address)) replies.set(address, replyForAll);
  return { phase, end: 'answered', replies, fault: null, faultCode: null, conversation };
}

/** Where everybody was refused by name: a refusal for now before one for good. */
function lastWord(refusals: ReadonlyMap<string, CommandReply>): CommandReply | undefined {
  const answers = [...refusals.values()];
  return answers.find(({ reply }) => (reply.code ?? 0) < 500) ?? answers.at(-1);
}

function broken(error: Error, { phase, refusals }: TransactionProgress, conversation: readonly string[]): Transaction {
  const fault = storableText(error.message.slice(0, MAX_FAULT_CHARACTERS));
  return { phase, end: endOf(error, phase), replies: refusals, fault, faultCode: null, conversation };
}

function endOf(error: Error, phase: TransactionProgress['phase']): Transaction['end'] {
  if (error instanceof LeaseEnded) return 'lease_ended';
  return phase === 'reply' ? 'ambiguous' : 'broken';
}
