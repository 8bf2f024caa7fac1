import { toWireAddress } from '@posthorn/domain/format';
import type { Connection } from './connection.js';
import type { OutgoingMessage, TransactionProgress } from './outgoing-message.js';
import { type CommandName, isAccepted, isClosing, type SmtpReply, toCommandReply } from './reply.js';

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
export async function sendEnvelope(
  connection: Connection,
  outgoing: OutgoingMessage,
  progress: TransactionProgress,
): Promise<boolean> {
  const commands = envelopeCommands(connection, outgoing);
  const execute = openExchange(connection, commands);
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
  { dialogue, supportsPipelining }: Connection,
  commands: readonly Command[],
): (command: Command) => Promise<SmtpReply> {
  if (supportsPipelining) dialogue.send(commands.map(({ line }) => line));
  return ({ line }) => {
    if (!supportsPipelining) dialogue.send([line]);
    return dialogue.readReply();
  };
}

function envelopeCommands({ supportsSize, notify }: Connection, { envelope, message }: OutgoingMessage): Command[] {
  const { from, to } = envelope;
  if (UNSAFE_IN_COMMAND.test(from) || to.some((address) => UNSAFE_IN_COMMAND.test(address))) {
    throw new Error('An envelope address contains characters that are not allowed in an SMTP command');
  }
  const size = supportsSize ? ` SIZE=${message.length}` : '';
  const dsn = notify === null || to.length === 0 ? null : { notify, envelopeId: toLocalPart(from) };
  const mail: Command = { verb: 'MAIL', line: `MAIL FROM:<${from}>${size}${dsn ? mailParameters(dsn) : ''}` };
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

/** False once the sender or every recipient has been refused. */
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
  if (isRefused(reply)) {
    if (isWanted) progress.replyForAll = toCommandReply(reply, 'DATA');
    return false;
  }
  // The replies are out of step with the commands, so none of them can be assigned to a recipient.
  progress.refusals.clear();
  throw new Error(`The server sent an invalid reply to DATA: ${reply.text}`);
}

function isRefused({ code }: SmtpReply): boolean {
  return code !== null && code >= 400;
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
