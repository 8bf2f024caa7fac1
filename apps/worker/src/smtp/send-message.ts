import { setImmediate as nextTurn } from 'node:timers/promises';
import { failpoint } from '@posthorn/domain';
import type { Connection } from './connection.js';
import type { Dialogue } from './dialogue.js';
import type { OutgoingMessage, TransactionProgress } from './progress.js';
import { isAccepted, type SmtpReply } from './reply.js';

/** Why a message was not let out at the last moment. */
export class LeaseEnded extends Error {
  override name = 'LeaseEnded';
}

/** What is not yet given to the socket the server cannot have; most messages are smaller. */
const PIECE_BYTES = 65_536;

const DOT = 0x2e;
const LF = 0x0a;

/**
 * The message and its final dot. Right before its first byte, the last moment at which nothing has been
 * sent, the lease is looked at once more. The last piece and the dot leave in one write.
 * @throws LeaseEnded, or Error when the link breaks or the server takes what it does not have yet
 */
export async function sendMessage(
  { dialogue }: Connection,
  outgoing: OutgoingMessage,
  progress: TransactionProgress,
): Promise<void> {
  dialogue.assertQuiet();
  failpoint('before_data');
  if (!outgoing.mayStart()) throw new LeaseEnded('The lease on this email has ended');
  await sendPieces(dialogue, withDots(outgoing.message), progress);
  const reply = await dialogue.hear();
  if (progress.phase !== 'reply' && isAccepted(reply)) {
    throw new Error(`The server answered before the end: ${reply.text}`);
  }
  if (asksForMore(reply)) throw new Error(`The server asked for more after the end: ${reply.text}`);
  progress.replyForAll = { reply, command: 'DATA' };
}

/** No answer to a message: the real one is still to come, and nobody knows what it says. */
function asksForMore({ code }: SmtpReply): boolean {
  return code !== null && code >= 300 && code < 400;
}

/** Stops when the server says something: it does not have the message, and shall not get the rest. */
async function sendPieces(dialogue: Dialogue, message: Buffer, progress: TransactionProgress): Promise<void> {
  let at = 0;
  for (; at + PIECE_BYTES < message.length; at += PIECE_BYTES) {
    progress.phase = 'data';
    await dialogue.write(message.subarray(at, at + PIECE_BYTES));
    // The system may take many pieces at once: what became of the link meanwhile shows only in the next turn.
    await nextTurn();
    if (dialogue.hasHeard()) return;
  }
  progress.phase = 'reply';
  const end = message.at(-1) === LF ? DOT_LINE : LINE_END_AND_DOT_LINE;
  void dialogue.write(Buffer.concat([message.subarray(at), end]));
  failpoint('after_data');
}

const DOT_LINE = Buffer.from('.\r\n');
const LINE_END_AND_DOT_LINE = Buffer.from('\r\n.\r\n');

/**
 * A dot more where a line begins with one (RFC 5321, 4.5.2). CR and LF each count for a line end, so that no
 * server finds the end of the message within it, whatever it takes for one.
 */
function withDots(message: Buffer): Buffer {
  const dots = [...placesOf('\n.', message), ...placesOf('\r.', message)].map((at) => at + 1).sort((a, b) => a - b);
  if (message[0] === DOT) dots.unshift(0);
  if (dots.length === 0) return message;
  const stuffed = Buffer.allocUnsafe(message.length + dots.length);
  let [start, end] = [0, 0];
  for (const dot of dots) {
    // Up to the dot and with it, which the rest begins with once more.
    end += message.copy(stuffed, end, start, dot + 1);
    start = dot;
  }
  message.copy(stuffed, end, start);
  return stuffed;
}

function placesOf(text: string, message: Buffer): number[] {
  const places: number[] = [];
  for (let at = message.indexOf(text); at !== -1; at = message.indexOf(text, at + 1)) places.push(at);
  return places;
}
