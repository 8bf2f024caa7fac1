import type { Connection } from './connection.js';
import { type Answer, type Course, type Job, newCourse } from './progress.js';
import { blamesRoute, storable, toReply } from './reply.js';
import { sendEnvelope } from './send-envelope.js';
import { LeaseEnded, sendMessage } from './send-message.js';
import type { Timeouts } from './timeouts.js';

/** What one SMTP transaction tells about each recipient. */
export type Transaction = {
  readonly phase: 'connect' | Course['phase'];
  /**
   * - answered: every recipient has a reply
   * - broken: the link failed before the message was out; nobody has it
   * - ambiguous: the link failed after the final dot; somebody may have it
   * - route_fault: the server refused us, not the mail
   * - lease_ended: we stopped it ourselves before its first byte
   */
  readonly end: 'answered' | 'broken' | 'ambiguous' | 'route_fault' | 'lease_ended';
  /** Whatever the end: a recipient that was refused by name has its reply. */
  readonly replies: ReadonlyMap<string, Answer>;
  /** What broke, for an end other than `answered`. */
  readonly fault: string | null;
  /** The same for logs: a reply's code or an error's, for the server's text may name a recipient. */
  readonly faultCode: string | null;
  readonly conversation: readonly string[];
};

const LONGEST_FAULT = 500;

/** Sends one message over an open connection. Never throws: every end is a result. */
export async function runTransaction(connection: Connection, job: Job, timeouts: Timeouts): Promise<Transaction> {
  const course = newCourse();
  const timers = startTimers(connection, course, timeouts);
  try {
    if (isTooLarge(connection, job)) course.toAll = tooLarge(connection);
    else if (await sendEnvelope(connection, job, course)) await sendMessage(connection, job, course);
    return answered(job, course, connection.conversation.take());
  } catch (error) {
    return broken(error as Error, course, connection.conversation.take());
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

/** Bounds for a server that is never silent, and never done. */
function startTimers(connection: Connection, course: Course, { untilDataMs, wholeMs }: Timeouts): NodeJS.Timeout[] {
  const breakOff = (why: string) => {
    connection.dialogue.end(new Error(why));
    connection.close();
  };
  const tarpit = () => course.phase === 'envelope' && breakOff('The server took too long to take the envelope');
  return [setTimeout(tarpit, untilDataMs), setTimeout(breakOff, wholeMs, 'The server took too long')];
}

function isTooLarge({ mostBytes }: Connection, { message }: Job): boolean {
  return mostBytes > 0 && message.length > mostBytes;
}

/** The server was not asked, but this is its answer (RFC 1870, 6.1). */
function tooLarge({ mostBytes }: Connection): Answer {
  return {
    reply: toReply(552, `552 5.3.4 The message is larger than the ${mostBytes} bytes allowed`),
    command: 'MAIL',
  };
}

function answered({ envelope }: Job, course: Course, conversation: readonly string[]): Transaction {
  const { phase, refusals, toAll } = course;
  const last = toAll ?? lastWord(refusals);
  if (phase === 'envelope' && last !== undefined && blamesRoute(last.reply, last.command)) {
    const { code, text } = last.reply;
    return { phase, end: 'route_fault', replies: refusals, fault: text, faultCode: String(code), conversation };
  }
  const replies = new Map(refusals);
  for (const address of envelope.to) if (toAll !== null && !replies.has(address)) replies.set(address, toAll);
  return { phase, end: 'answered', replies, fault: null, faultCode: null, conversation };
}

/** Where everybody was refused by name: a refusal for now before one for good. */
function lastWord(refusals: ReadonlyMap<string, Answer>): Answer | undefined {
  const answers = [...refusals.values()];
  return answers.find(({ reply }) => (reply.code ?? 0) < 500) ?? answers.at(-1);
}

function broken(error: Error, { phase, refusals }: Course, conversation: readonly string[]): Transaction {
  const fault = storable(error.message.slice(0, LONGEST_FAULT));
  return { phase, end: endOf(error, phase), replies: refusals, fault, faultCode: null, conversation };
}

function endOf(error: Error, phase: Course['phase']): Transaction['end'] {
  if (error instanceof LeaseEnded) return 'lease_ended';
  return phase === 'reply' ? 'ambiguous' : 'broken';
}
