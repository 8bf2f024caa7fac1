import { failpoint } from '@posthorn/domain';
import type { Connection } from './connection.js';
import type { Course, Job } from './course.js';
import type { Dialogue } from './dialogue.js';
import { isAccepted } from './reply.js';

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
export async function sendMessage({ dialogue }: Connection, job: Job, course: Course): Promise<void> {
  dialogue.assertQuiet();
  failpoint('before_data');
  if (!job.mayStart()) throw new LeaseEnded('The lease on this email has ended');
  await sendPieces(dialogue, withDots(job.message), course);
  const reply = await dialogue.hear();
  if (course.phase !== 'reply' && isAccepted(reply)) {
    throw new Error(`The server answered before the end: ${reply.text}`);
  }
  course.toAll = { reply, command: 'DATA' };
}

/** Stops when the server says something: it does not have the message, and shall not get the rest. */
async function sendPieces(dialogue: Dialogue, message: Buffer, course: Course): Promise<void> {
  let at = 0;
  for (; at + PIECE_BYTES < message.length; at += PIECE_BYTES) {
    course.phase = 'data';
    await dialogue.write(message.subarray(at, at + PIECE_BYTES));
    if (dialogue.hasHeard()) return;
  }
  course.phase = 'reply';
  const end = message.at(-1) === LF ? END : LINE_END;
  void dialogue.write(Buffer.concat([message.subarray(at), end]));
  failpoint('after_data');
}

const END = Buffer.from('.\r\n');
const LINE_END = Buffer.from('\r\n.\r\n');

/**
 * A dot more where a line begins with one (RFC 5321, 4.5.2). CR and LF each count for a line end, so that no
 * server finds the end of the message within it, whatever it takes for one.
 */
export function withDots(message: Buffer): Buffer {
  if (message[0] !== DOT && !message.includes('\n.') && !message.includes('\r.')) return message;
  return Buffer.from(message.toString('latin1').replace(/(^|[\r\n])\./g, '$1..'), 'latin1');
}
