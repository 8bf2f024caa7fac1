import type { Connection } from './connection.js';
import type { Answer, Course, Job } from './progress.js';
import { isAccepted, isClosing, type SmtpReply } from './reply.js';

/** @property address of a recipient, for RCPT */
type Step = { readonly command: Answer['command']; readonly line: string; readonly address?: string };

/** What no address may hold: it would end it, or the command, if only by the byte that is left of it. */
const BREAKS_OUT = /[^\x21-\x7e]|[<>]/;

/**
 * MAIL, RCPT for each recipient and DATA: at once where the server allows it (RFC 2920), else one after the
 * other, as far as there is a point in it.
 * @returns whether the server waits for the message; if not, `course` says why
 * @throws Error when the link breaks
 */
export async function sendEnvelope(connection: Connection, job: Job, course: Course): Promise<boolean> {
  const steps = stepsOf(connection, job);
  const ask = openAsking(connection, steps);
  for (const step of steps) {
    if (!connection.mayPipeline && !isWanted(job, course)) return false;
    const reply = await ask(step);
    if (step.command === 'DATA') return settleData(connection, job, { course, reply });
    if (!isAccepted(reply)) note(course, step, reply);
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

function stepsOf({ takesSize }: Connection, { envelope, message }: Job): Step[] {
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
function isWanted({ envelope }: Job, { toAll, refusals }: Course): boolean {
  return toAll === null && refusals.size < envelope.to.length;
}

function note(course: Course, { command, address }: Step, reply: SmtpReply): void {
  // After a refused MAIL everything is out of order, which says nothing about a recipient.
  if (course.toAll !== null) return;
  const answer = { reply, command };
  if (address !== undefined) course.refusals.set(address, answer);
  if (address === undefined || isClosing(reply)) course.toAll = answer;
}

/**
 * Nothing else lets the message out (RFC 5321, 4.2.3): before a server that still waits for commands, a
 * text could give some.
 */
const GO_ON = 354;

type Asked = { readonly course: Course; readonly reply: SmtpReply };

async function settleData(connection: Connection, job: Job, { course, reply }: Asked): Promise<boolean> {
  const hasPoint = isWanted(job, course);
  if (reply.code === GO_ON) {
    if (!hasPoint) await takeBack(connection, course);
    return hasPoint;
  }
  if (isRefused(reply)) {
    if (hasPoint) course.toAll = { reply, command: 'DATA' };
    return false;
  }
  // Replies that do not fit the commands may be those of others: no recipient is judged by them.
  course.refusals.clear();
  throw new Error(`The server answered DATA with what is no answer to it: ${reply.text}`);
}

function isRefused({ code }: SmtpReply): boolean {
  return code !== null && code >= 400;
}

/**
 * DATA was sent before anybody knew that it has no point. A server that wants a message for nobody gets an
 * empty one (RFC 2920, 3.1); one that wants it although it refused the sender is not trusted with that.
 */
async function takeBack({ dialogue, close }: Connection, { toAll }: Course): Promise<void> {
  if (toAll !== null) return close();
  dialogue.say(['.']);
  await dialogue.hear();
}
