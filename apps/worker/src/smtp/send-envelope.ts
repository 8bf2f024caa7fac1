import type { Connection } from './connection.js';
import type { CommandReply, OutgoingMessage, TransactionProgress } from './progress.js';
import { isAccepted, isClosing, type SmtpReply } from './reply.js';

/** @property address of a recipient, for RCPT */
type Step = { readonly command: CommandReply['command']; readonly line: string; readonly address?: string };

/** What no address may hold: it would end it, or the command, if only by the byte that is left of it. */
const BREAKS_OUT = /[^\x21-\x7e]|[<>]/;

/**
 * MAIL, RCPT for each recipient and DATA: at once where the server allows it (RFC 2920), else one after the
 * other, as far as there is a point in it.
 * @returns whether the server waits for the message; if not, `progress` says why
 * @throws Error when the link breaks
 */
export async function sendEnvelope(
  connection: Connection,
  outgoing: OutgoingMessage,
  progress: TransactionProgress,
): Promise<boolean> {
  const steps = stepsOf(connection, outgoing);
  const ask = openAsking(connection, steps);
  for (const step of steps) {
    if (!connection.mayPipeline && !isWanted(outgoing, progress)) return false;
    const reply = await ask(step);
    if (step.command === 'DATA') return settleData(connection, outgoing, { progress, reply });
    if (!isAccepted(reply)) note(progress, step, reply);
    // What else was asked stays without an answer.
    if (isClosing(reply)) return false;
  }
  return false;
}

/** @returns what gets the reply to one step after the other */
function openAsking({ dialogue, mayPipeline }: Connection, steps: readonly Step[]): (step: Step) => Promise<SmtpReply> {
  if (mayPipeline) dialogue.say(steps.map(({ line }) => line));
  return ({ line }) => {
    if (!mayPipeline) dialogue.say([line]);
    return dialogue.hear();
  };
}

function stepsOf({ takesSize }: Connection, { envelope, message }: OutgoingMessage): Step[] {
  const { from, to } = envelope;
  if (BREAKS_OUT.test(from) || to.some((address) => BREAKS_OUT.test(address))) {
    throw new Error('An address of the envelope would break out of its command');
  }
  const size = takesSize ? ` SIZE=${message.length}` : '';
  return [
    { command: 'MAIL', line: `MAIL FROM:<${from}>${size}` },
    ...to.map((address): Step => ({ command: 'RCPT', line: `RCPT TO:<${address}>`, address })),
    { command: 'DATA', line: 'DATA' },
  ];
}

/** Whether sender and any recipient are accepted so far. */
function isWanted({ envelope }: OutgoingMessage, { replyForAll, refusals }: TransactionProgress): boolean {
  return replyForAll === null && refusals.size < envelope.to.length;
}

function note(progress: TransactionProgress, { command, address }: Step, reply: SmtpReply): void {
  // After a refused MAIL everything is out of order, which says nothing about a recipient.
  if (progress.replyForAll !== null) return;
  const answer = { reply, command };
  if (address !== undefined) progress.refusals.set(address, answer);
  if (address === undefined || isClosing(reply)) progress.replyForAll = answer;
}

/**
 * Nothing else lets the message out (RFC 5321, 4.2.3): before a server that still waits for commands, a
 * text could give some.
 */
const GO_ON = 354;

type Asked = { readonly progress: TransactionProgress; readonly reply: SmtpReply };

async function settleData(
  connection: Connection,
  outgoing: OutgoingMessage,
  { progress, reply }: Asked,
): Promise<boolean> {
  const hasPoint = isWanted(outgoing, progress);
  if (reply.code === GO_ON) {
    if (!hasPoint) await takeBack(connection, progress);
    return hasPoint;
  }
  if (isRefused(reply)) {
    if (hasPoint) progress.replyForAll = { reply, command: 'DATA' };
    return false;
  }
  // Replies that do not fit the commands may be those of others: no recipient is judged by them.
  progress.refusals.clear();
  throw new Error(`The server answered DATA with what is no answer to it: ${reply.text}`);
}

function isRefused({ code }: SmtpReply): boolean {
  return code !== null && code >= 400;
}

/**
 * DATA was sent before anybody knew that it has no point. A server that wants a message for nobody gets an
 * empty one (RFC 2920, 3.1); one that wants it although it refused the sender is not trusted with that.
 */
async function takeBack({ dialogue, close }: Connection, { replyForAll }: TransactionProgress): Promise<void> {
  if (replyForAll !== null) return close();
  dialogue.say(['.']);
  await dialogue.hear();
}
