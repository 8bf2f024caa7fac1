import { createHash } from 'node:crypto';
import {
  cut,
  drip,
  type Moment,
  type RawMessage,
  type Reaction,
  say,
  sayAndCut,
  startRawSmtpServer,
} from '@posthorn/testing';
import type { Handoff, ReplyOverride, ServerCommand, ServerEvent } from './faulty-smtp.js';
import { openJournal } from './journal.js';
import { behaviourArgument, type RecipientBehaviour, readBehaviour } from './recipient-behaviour.js';

const [, , journalFile = ''] = process.argv;
const journal = await openJournal<Handoff>(journalFile);
const tries = new Map<string, number>();
let override: ReplyOverride | null = null;
let overridden = 0;

const server = await startRawSmtpServer(
  (moment, to, from) => overrideAt(moment, from) ?? reactionTo(moment, to.at(-1) ?? '', to[0] ?? ''),
);

function overrideAt(moment: Moment, from: string): Reaction | undefined {
  if (override?.moment !== moment || overridden >= (override.times ?? Number.POSITIVE_INFINITY)) return undefined;
  if (override.senderDomain !== undefined && !from.endsWith(`@${override.senderDomain}`)) return undefined;
  overridden += 1;
  const { how, reply = '' } = override;
  return { cut, drip, say: say(reply), sayAndCut: sayAndCut(reply) }[how];
}

function reactionTo(moment: Moment, address: string, first: string): Reaction | undefined {
  if (moment === 'RCPT') return reactToRcpt(address);
  if (moment === 'BODY') return readBehaviour(first) === 'dropbody' && stillMisbehaves(first) ? cut : undefined;
  return moment === 'DOT' ? reactToDot(first) : undefined;
}

function reactToRcpt(address: string): Reaction | undefined {
  const reactions: Partial<Record<RecipientBehaviour, () => Reaction | undefined>> = {
    tempfail: () => (stillMisbehaves(address) ? say('451 4.2.1 Try again later') : undefined),
    reject: () => say('550 5.1.1 No such user'),
    login: () => say('530 5.7.0 Authentication required'),
    slow: () => (socket) => setTimeout(() => say('250 2.1.5 OK')(socket), behaviourArgument(address)),
    busy: () => (stillMisbehaves(address) ? sayAndCut('421 4.3.2 Shutting down') : undefined),
  };
  return reactions[readBehaviour(address)]?.();
}

function reactToDot(first: string): Reaction {
  const message = server.messages.at(-1) as RawMessage;
  const accept = say('250 2.0.0 Accepted');
  switch (readBehaviour(first)) {
    case 'datatemp':
      return stillMisbehaves(first) ? say('451 4.3.0 Not now') : keep(message, accept);
    case 'datareject':
      return say('554 5.6.0 Not wanted');
    case 'dropdot':
      return keep(message, stillMisbehaves(first) ? cut : accept);
    case 'late':
      return keep(message, (socket) => setTimeout(() => accept(socket), behaviourArgument(first)));
    default:
      return keep(message, accept);
  }
}

/** From here on, the server has the message, whether or not its reply arrives. */
function keep({ raw, from: returnPath, to }: RawMessage, reaction: Reaction): Reaction {
  return (socket) => {
    reaction(socket);
    const messageId = /^Message-ID: <(.+)>\r$/im.exec(raw)?.[1] ?? '';
    const from = /^From: .*?([^\s<>]+@[^\s<>]+)>?\r$/im.exec(raw)?.[1] ?? '';
    const accepted = to.filter(isAccepted);
    const handoff = { at: Date.now(), messageId, returnPath, from, to: accepted, fileSha256: hashFile(raw) };
    void journal.write(handoff);
    emit({ handoff });
  };
}

function hashFile(raw: string): string | null {
  const [, part] = raw.split(/^Content-Disposition: attachment/m);
  if (part === undefined) return null;
  const start = part.indexOf('\r\n\r\n') + 4;
  const content = Buffer.from(part.slice(start, part.indexOf('\r\n--', start)), 'base64');
  return createHash('sha256').update(content).digest('hex');
}

/** Whether the server accepted this recipient at RCPT. */
function isAccepted(address: string): boolean {
  const behaviour = readBehaviour(address);
  if (behaviour === 'reject' || behaviour === 'login') return false;
  return behaviour !== 'tempfail' || (tries.get(address) ?? 0) > behaviourArgument(address);
}

/** Counts a try. @returns whether the server should misbehave this time */
function stillMisbehaves(address: string): boolean {
  const count = (tries.get(address) ?? 0) + 1;
  tries.set(address, count);
  return count <= behaviourArgument(address);
}

function setOverride(wanted: ReplyOverride | null): void {
  override = wanted;
  overridden = 0;
}

async function run(command: ServerCommand): Promise<void> {
  if (command.what === 'override') setOverride(command.override);
  if (command.what === 'restore') setOverride(null);
  if (command.what === 'dropConnections') {
    setOverride({ moment: 'CONNECT', how: 'cut' });
    server.cutAll();
  }
  if (command.what === 'close') {
    await server.close();
    await journal.close();
  }
  emit({ done: command.what });
}

function emit(event: ServerEvent): void {
  process.send?.(event);
}

process.on('message', (command: ServerCommand) => void run(command));
process.once('disconnect', () => process.exit());
emit({ port: server.port });
