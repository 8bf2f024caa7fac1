import type { Socket } from 'node:net';
import type { SMTPConnectionEnvelope, SMTPConnectionSendInfo } from 'nodemailer/lib/smtp-connection';
import type { Connection } from './connection.js';
import { LeaseEnded, type MessageStream, messageStream } from './message-stream.js';
import { blamesRoute, type SmtpReply, storable, toReply } from './reply.js';
import { commandOf, faultCodeOf, replyOf, type SmtpError } from './smtp-error.js';
import type { Timeouts } from './timeouts.js';

export type Envelope = { readonly from: string; readonly to: readonly string[] };

/** What one SMTP transaction tells about each recipient. */
export type Transaction = {
  readonly phase: 'connect' | 'envelope' | 'data' | 'reply';
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

/** RFC 1870, section 6.1 */
const TOO_LARGE = 552;

/** @property mayStart asked at the last moment at which nothing has been sent */
export type Job = { envelope: Envelope; message: Buffer; mayStart: () => boolean };

type Answer = { reply: SmtpReply; command: 'MAIL' | 'RCPT' | 'DATA' };
type Result = { info: SMTPConnectionSendInfo } | { error: SmtpError };

/** Nodemailer notes in the envelope it is given who was refused by name, also when the whole fails later. */
type Asked = { from: string; to: string[]; size: number } & Partial<Pick<SMTPConnectionEnvelope, 'rejectedErrors'>>;

/** How far it came: what the end is read from. */
type Course = { asked: Asked; body: MessageStream; said: string[] };

/** Sends one message over an open connection. Never throws: every end is a result. */
export async function runTransaction(connection: Connection, job: Job, timeouts: Timeouts): Promise<Transaction> {
  const { envelope, message, mayStart } = job;
  const asked: Asked = { from: envelope.from, to: [...envelope.to], size: message.length };
  const body = messageStream(message, mayStart, () => writeTogether(connection));
  const result = await converse(connection, { asked, body }, timeouts);
  const course = { asked, body, said: connection.conversation.take() };
  return 'info' in result ? answered(result.info, course) : failed(result.error, course);
}

async function converse(
  { smtp }: Connection,
  { asked, body }: Pick<Course, 'asked' | 'body'>,
  { untilDataMs, wholeMs }: Timeouts,
): Promise<Result> {
  const timers: NodeJS.Timeout[] = [];
  const result = await new Promise<Result>((resolve) => {
    const breakOff = (why: string) => resolve({ error: new Error(why) });
    const tarpit = () => body.hasStarted() || breakOff('The server took too long to take the envelope');
    timers.push(setTimeout(tarpit, untilDataMs), setTimeout(breakOff, wholeMs, 'The server took too long'));
    // If there was more to it than the end, that is told right after.
    const onEnd = () => setImmediate(breakOff, 'The server closed the connection');
    smtp.once('end', onEnd);
    smtp.send(asked, body.stream, (error, info) => {
      smtp.removeListener('end', onEnd);
      resolve(error ? { error } : { info: info as SMTPConnectionSendInfo });
    });
  });
  for (const timer of timers) clearTimeout(timer);
  return result;
}

/** The last piece of a message and the final dot leave in one write, which is a good part of what sending costs. */
function writeTogether({ smtp }: Connection): void {
  const { _socket: socket } = smtp as unknown as { _socket: Socket | false };
  if (!socket) return;
  socket.cork();
  setImmediate(() => socket.uncork());
}

function answered({ response }: SMTPConnectionSendInfo, { asked, body, said }: Course): Transaction {
  const reply = toReply(Number(response.slice(0, 3)), response);
  if (!body.hasEnded())
    return failed(new Error(`The server answered before the end: ${response}`), { asked, body, said });
  const replies = repliesOf(asked, { reply, command: 'DATA' });
  return { phase: 'reply', end: 'answered', replies, fault: null, faultCode: null, conversation: said };
}

function failed(error: SmtpError, { asked, body, said }: Course): Transaction {
  const phase = phaseOf(body);
  const common = {
    phase,
    replies: refusalsOf(asked),
    fault: storable(error.message.slice(0, 500)),
    faultCode: faultCodeOf(error),
    conversation: said,
  } as const;
  if (error instanceof LeaseEnded) return { ...common, end: 'lease_ended' };
  const answer = answerOf(error, phase);
  if (answer === null) return { ...common, end: body.hasEnded() ? 'ambiguous' : 'broken' };
  if (phase === 'envelope' && blamesRoute(answer.reply, answer.command)) return { ...common, end: 'route_fault' };
  return { ...common, end: 'answered', replies: repliesOf(asked, answer) };
}

/** @returns null when it was no reply that ended it */
function answerOf(error: SmtpError, phase: Transaction['phase']): Answer | null {
  if (error.responseCode !== undefined) return { reply: replyOf(error), command: commandOf(error) };
  // Larger than the SIZE that the server announced: it was not asked, but this is its answer.
  const isTooLarge = phase === 'envelope' && error.code === 'EMESSAGE';
  return isTooLarge ? { reply: toReply(TOO_LARGE, `552 5.3.4 ${error.message}`), command: 'MAIL' } : null;
}

function phaseOf(body: MessageStream): Transaction['phase'] {
  if (body.hasEnded()) return 'reply';
  return body.hasStarted() ? 'data' : 'envelope';
}

/** The answer to all, but for those who were refused by name. */
function repliesOf(asked: Asked, toAll: Answer): Map<string, Answer> {
  return new Map([...asked.to.map((address) => [address, toAll] as const), ...refusalsOf(asked)]);
}

function refusalsOf({ rejectedErrors = [] }: Asked): Map<string, Answer> {
  const named = rejectedErrors as SmtpError[];
  return new Map(named.map((error) => [error.recipient ?? '', { reply: replyOf(error), command: 'RCPT' }]));
}
