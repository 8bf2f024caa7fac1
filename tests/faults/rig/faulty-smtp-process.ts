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
import type { Handoff, Order, ReplyOverride, Report } from './faulty-smtp.js';
import { openJournal } from './journal.js';
import { behaviourArgument, behaviourOf, type RecipientBehaviour } from './recipient-behaviour.js';

const [, , ledgerFile = ''] = process.argv;
const ledger = await openJournal<Handoff>(ledgerFile);
const times = new Map<string, number>();
let forAll: ReplyOverride | null = null;
let treated = 0;

const server = await startRawSmtpServer(
  (moment, to) => overrideAt(moment) ?? reactionTo(moment, to.at(-1) ?? '', to[0] ?? ''),
);

function overrideAt(moment: Moment): Reaction | undefined {
  if (forAll?.moment !== moment || treated >= (forAll.times ?? Number.POSITIVE_INFINITY)) return undefined;
  treated += 1;
  const { how, reply = '' } = forAll;
  return { cut, drip, say: say(reply), sayAndCut: sayAndCut(reply) }[how];
}

function reactionTo(moment: Moment, address: string, first: string): Reaction | undefined {
  if (moment === 'RCPT') return rcpt(address);
  if (moment === 'BODY') return behaviourOf(first) === 'dropbody' && isDue(first) ? cut : undefined;
  return moment === 'DOT' ? dot(first) : undefined;
}

function rcpt(address: string): Reaction | undefined {
  const reactions: Partial<Record<RecipientBehaviour, () => Reaction | undefined>> = {
    tempfail: () => (isDue(address) ? say('451 4.2.1 Try again later') : undefined),
    reject: () => say('550 5.1.1 No such user'),
    slow: () => (socket) => setTimeout(() => say('250 2.1.5 OK')(socket), behaviourArgument(address)),
    busy: () => (isDue(address) ? sayAndCut('421 4.3.2 Shutting down') : undefined),
  };
  return reactions[behaviourOf(address)]?.();
}

function dot(first: string): Reaction {
  const message = server.messages.at(-1) as RawMessage;
  switch (behaviourOf(first)) {
    case 'datatemp':
      return isDue(first) ? say('451 4.3.0 Not now') : keep(message, say('250 2.0.0 Taken'));
    case 'datareject':
      return say('554 5.6.0 Not wanted');
    case 'dropdot':
      return keep(message, isDue(first) ? cut : say('250 2.0.0 Taken'));
    case 'late':
      return keep(message, (socket) => setTimeout(() => say('250 2.0.0 Taken')(socket), behaviourArgument(first)));
    default:
      return keep(message, say('250 2.0.0 Taken'));
  }
}

/** From this moment the server has the message, whether or not its answer arrives. */
function keep({ raw, to }: RawMessage, reaction: Reaction): Reaction {
  return (socket) => {
    reaction(socket);
    const messageId = /^Message-ID: <(.+)>\r$/im.exec(raw)?.[1] ?? '';
    const from = /^From: .*?([^\s<>]+@[^\s<>]+)>?\r$/im.exec(raw)?.[1] ?? '';
    const handoff = { at: Date.now(), messageId, from, to: to.filter(isTaken) };
    void ledger.write(handoff);
    tell({ handoff });
  };
}

/** A server that refuses a recipient leaves it out of what it takes. */
function isTaken(address: string): boolean {
  const behaviour = behaviourOf(address);
  return behaviour !== 'reject' && (behaviour !== 'tempfail' || (times.get(address) ?? 0) > behaviourArgument(address));
}

/** Counts this time; true while the behaviour is still asked for. */
function isDue(address: string): boolean {
  const count = (times.get(address) ?? 0) + 1;
  times.set(address, count);
  return count <= behaviourArgument(address);
}

function treat(override: ReplyOverride | null): void {
  forAll = override;
  treated = 0;
}

async function follow(order: Order): Promise<void> {
  if (order.what === 'treat') treat(order.override);
  if (order.what === 'restore') treat(null);
  if (order.what === 'dropConnections') {
    treat({ moment: 'CONNECT', how: 'cut' });
    server.cutAll();
  }
  if (order.what === 'close') {
    await server.close();
    await ledger.close();
  }
  tell({ done: order.what });
}

function tell(report: Report): void {
  process.send?.(report);
}

process.on('message', (order: Order) => void follow(order));
process.once('disconnect', () => process.exit());
tell({ port: server.port });
