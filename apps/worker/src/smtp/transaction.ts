import { toWireAddress } from '@posthorn/domain/format';
import { MessageUnreadable, needs8Bit } from '@posthorn/message';
import { toStorableText } from '@posthorn/platform/postgres';
import { inSpan, type Span } from '@posthorn/platform/traces';
import { type Connection, toSessionAttributes } from './connection.js';
import {
  type CommandName,
  type CommandReply,
  findSuspicion,
  isAccepted,
  isClosing,
  type SmtpReply,
  toCommandReply,
  toReply,
} from './reply.js';
import {
  IntentNotWritten,
  LeaseEnded,
  type OutgoingMessage,
  sendMessage,
  type TransactionProgress,
} from './send-message.js';
import type { Timeouts } from './timeouts.js';
import type { OurEnd, Transaction } from './transaction-result.js';

const MAX_FAULT_CHARACTERS = 500;

/**
 * Sends one message over an open connection. Never throws: however the transaction ends, a result is returned.
 * @param beforeDotMs as for `sendMessage`
 */
export async function runTransaction(
  connection: Connection,
  outgoing: OutgoingMessage,
  { timeouts, beforeDotMs }: { readonly timeouts: Timeouts; readonly beforeDotMs: number },
): Promise<Transaction> {
  const progress: TransactionProgress = { phase: 'envelope', refusals: new Map(), replyForAll: null };
  const timer = abortAfter(connection, timeouts.transactionMs, 'The SMTP transaction took longer than');
  try {
    progress.replyForAll = findOwnRefusal(connection, outgoing);
    if (
      progress.replyForAll === null &&
      (await inSpan(startPhase('smtp mail', connection, outgoing), () =>
        sendEnvelope(connection, outgoing, { progress, replyMs: timeouts.replyMs }),
      ))
    )
      await inSpan(startPhase('smtp data', connection, outgoing), () =>
        sendMessage(connection, outgoing, { progress, beforeDotMs }),
      );
    return completed(outgoing, progress, connection.conversation.take());
  } catch (error) {
    return broken(error as Error, progress, connection.conversation.take());
  } finally {
    clearTimeout(timer);
  }
}

function startPhase(name: string, connection: Connection, { span }: OutgoingMessage): Span | undefined {
  return span?.startStep(name, { kind: 'client', attributes: toSessionAttributes(connection) });
}

/** Limits how long we wait for a server that keeps sending bytes but never finishes. */
function abortAfter({ dialogue, close }: Connection, limitMs: number, why: string): NodeJS.Timeout {
  return setTimeout(() => {
    dialogue.fail(new Error(`${why} ${limitMs / 1_000} seconds`));
    close();
  }, limitMs);
}

/**
 * The reply that the server would send, given what it announced: a limit (RFC 1870, 6.1), or that it does not pass on
 * 8-bit characters (RFC 6152, 3). We cannot convert an attached message, because its own signature would break.
 */
function findOwnRefusal({ maxBytes, supports8Bit }: Connection, { message }: OutgoingMessage): CommandReply | null {
  if (maxBytes > 0 && message.length > maxBytes) {
    const text = `552 5.3.4 The message is larger than the server's limit of ${maxBytes} bytes`;
    return toCommandReply(toReply(552, text), 'MAIL');
  }
  if (supports8Bit || !needs8Bit(message)) return null;
  const text = '554 5.6.3 The message contains another one with 8-bit characters, which the server does not support';
  return toCommandReply(toReply(554, text), 'MAIL');
}

/** @property address the recipient of a RCPT command */
type Command = { readonly verb: CommandName; readonly line: string; readonly address?: string };

/**
 * Characters that could end the address or the command. Commands are written as Latin-1, which keeps only the low
 * byte of a character, and that byte could be a line end.
 */
const UNSAFE_IN_COMMAND = /[^\x21-\x7e]|[<>]/;

/**
 * Sends MAIL, RCPT for each recipient, and DATA. If the server supports pipelining (RFC 2920), they are sent
 * together. Otherwise each command waits for the previous reply, and none is sent once every recipient is refused.
 * An envelope without recipients only checks the relay, so MAIL is its only command.
 * @returns whether the server waits for the message; if not, `progress` has the replies
 * @throws Error when the connection fails
 */
async function sendEnvelope(
  connection: Connection,
  outgoing: OutgoingMessage,
  { progress, replyMs }: { readonly progress: TransactionProgress; readonly replyMs: number },
): Promise<boolean> {
  const commands = envelopeCommands(connection, outgoing);
  const execute = openExchange(connection, commands, replyMs);
  for (const command of commands) {
    if (!connection.supportsPipelining && isPointless(command, outgoing, progress)) return false;
    const reply = await execute(command);
    if (command.verb === 'DATA') return handleDataReply(connection, outgoing, { progress, reply });
    if (!isAccepted(reply)) recordRefusal(progress, command, reply);
    // The server closes the connection without replying to the other commands.
    if (isClosing(reply)) return false;
  }
  return false;
}

/** @returns a function that returns the reply to a command; it must be called with each command in turn */
function openExchange(
  connection: Connection,
  commands: readonly Command[],
  replyMs: number,
): (command: Command) => Promise<SmtpReply> {
  const { dialogue, supportsPipelining } = connection;
  if (supportsPipelining) dialogue.send(commands.map(({ line }) => line));
  return async ({ verb, line }) => {
    if (!supportsPipelining) dialogue.send([line]);
    if (dialogue.isReadable()) return dialogue.readReply();
    const timer = abortAfter(connection, replyMs, `The server did not reply to ${verb} within`);
    try {
      return await dialogue.readReply();
    } finally {
      clearTimeout(timer);
    }
  };
}

function envelopeCommands({ supportsSize, notify }: Connection, { envelope, message }: OutgoingMessage): Command[] {
  const { from, to } = envelope;
  if (UNSAFE_IN_COMMAND.test(from) || to.some((address) => UNSAFE_IN_COMMAND.test(address))) {
    throw new Error('An envelope address contains characters that are not allowed in an SMTP command');
  }
  const size = supportsSize ? ` SIZE=${message.length}` : '';
  const body = needs8Bit(message) ? ' BODY=8BITMIME' : '';
  const dsn = notify === null || to.length === 0 ? null : { notify, envelopeId: toLocalPart(from) };
  const mail: Command = { verb: 'MAIL', line: `MAIL FROM:<${from}>${size}${body}${dsn ? mailParameters(dsn) : ''}` };
  if (to.length === 0) return [mail];
  return [
    mail,
    ...to.map(
      (address): Command => ({
        verb: 'RCPT',
        line: `RCPT TO:<${toWireAddress(address)}>${dsn ? recipientParameters(dsn, address) : ''}`,
        address,
      }),
    ),
    { verb: 'DATA', line: 'DATA' },
  ];
}

type DsnRequest = { readonly notify: string; readonly envelopeId: string };

/** Asks for reports with the headers only, which name the same envelope as the return path (RFC 3461, 4.3 and 4.4). */
function mailParameters({ envelopeId }: DsnRequest): string {
  return ` RET=HDRS ENVID=${toXtext(envelopeId)}`;
}

/** Asks which reports to send, and that they repeat the address that we sent to (RFC 3461, 4.1 and 4.2). */
function recipientParameters({ notify }: DsnRequest, address: string): string {
  return ` NOTIFY=${notify} ORCPT=rfc822;${toXtext(address)}`;
}

function toLocalPart(address: string): string {
  return address.slice(0, address.lastIndexOf('@'));
}

/** RFC 3461, 4: `+` and `=` are written in hexadecimal. The text contains only printable ASCII characters. */
function toXtext(text: string): string {
  return text.replace(/[+=]/g, (character) => `+${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function isPointless({ verb }: Command, outgoing: OutgoingMessage, progress: TransactionProgress): boolean {
  return verb !== 'MAIL' && !hasRecipientsLeft(outgoing, progress);
}

function hasRecipientsLeft({ envelope }: OutgoingMessage, { replyForAll, refusals }: TransactionProgress): boolean {
  return replyForAll === null && refusals.size < envelope.to.length;
}

function recordRefusal(progress: TransactionProgress, { verb, address }: Command, reply: SmtpReply): void {
  // After a refused MAIL, the server refuses every command, which says nothing about a recipient.
  if (progress.replyForAll !== null) return;
  const refusal = toCommandReply(reply, verb);
  if (address !== undefined) progress.refusals.set(address, refusal);
  if (address === undefined || isClosing(reply)) progress.replyForAll = refusal;
}

/**
 * The message is sent only after this reply (RFC 5321, 4.2.3). A server that still expects commands could run the
 * text of the message as commands.
 */
const START_MAIL_INPUT = 354;

async function handleDataReply(
  connection: Connection,
  outgoing: OutgoingMessage,
  { progress, reply }: { readonly progress: TransactionProgress; readonly reply: SmtpReply },
): Promise<boolean> {
  const isWanted = hasRecipientsLeft(outgoing, progress);
  if (reply.code === START_MAIL_INPUT) {
    if (!isWanted) await cancelData(connection, progress);
    return isWanted;
  }
  if (reply.code !== null && reply.code >= 400) {
    if (isWanted) progress.replyForAll = toCommandReply(reply, 'DATA');
    return false;
  }
  // The replies are out of step with the commands, so none of them can be assigned to a recipient.
  progress.refusals.clear();
  throw new Error(`The server sent an invalid reply to DATA: ${reply.text}`);
}

/**
 * With pipelining, DATA is sent before the replies to MAIL and RCPT are known. If all recipients were refused, an
 * empty message ends the transaction (RFC 2920, 3.1). If the sender was refused but the server still asks for the
 * message, we close the connection, because such a server might deliver the empty message.
 */
async function cancelData({ dialogue, close }: Connection, { replyForAll }: TransactionProgress): Promise<void> {
  if (replyForAll !== null) return close();
  dialogue.send(['.']);
  await dialogue.readReply();
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

/** Errors of OpenSSL name their place in its source: `80A2:error:0A00042E:SSL routines:ssl3_read_bytes:<reason>:../...` */
const OPENSSL_ERROR = /[0-9A-F]+:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):[^\n]*\n?/g;

/** The error's message, shortened and cleaned so that it can be stored. */
export function toFaultText({ message }: Error): string {
  return toStorableText(message.replace(OPENSSL_ERROR, 'TLS failed ($1)').slice(0, MAX_FAULT_CHARACTERS));
}

function toEnd(error: Error, phase: TransactionProgress['phase']): Transaction['end'] {
  return findOurEnd(error) ?? (phase === 'reply' ? 'ambiguous' : 'broken');
}

function findOurEnd(error: Error): OurEnd | null {
  if (error instanceof LeaseEnded) return 'lease_ended';
  return error instanceof MessageUnreadable || error instanceof IntentNotWritten ? 'withheld' : null;
}
