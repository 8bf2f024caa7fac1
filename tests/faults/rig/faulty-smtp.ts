import {
  cut,
  type Fault,
  type Moment,
  type RawMessage,
  type Reaction,
  say,
  sayAndCut,
  startRawSmtpServer,
} from '@posthorn/testing';
import { type Journal, openJournal } from './journal.js';

/**
 * What the first recipient's local part asks the server to do: `<behaviour>[.<count or ms>]-<anything>`.
 * With a count the server behaves so that many times for this address and then as usual.
 * - ok: takes it and says so at once    - slow.ms: the same, after thinking so long about RCPT
 * - late.ms: takes it at once, but says so only after so long
 * - tempfail, reject: 451 or 550 at RCPT     - datatemp, datareject: 451 or 554 after the dot
 * - busy: 421 at RCPT and closes   - dropbody: breaks at the first byte of the message
 * - dropdot: takes the message, and breaks in place of the 250
 */
export type Behaviour =
  | 'ok'
  | 'slow'
  | 'late'
  | 'tempfail'
  | 'reject'
  | 'datatemp'
  | 'datareject'
  | 'busy'
  | 'dropbody'
  | 'dropdot';

/** A message that the server has: `answered` tells whether it said so. */
export type Handover = {
  readonly at: number;
  readonly messageId: string;
  /** The address in the message's From. */
  readonly from: string;
  readonly to: readonly string[];
};

export type FaultySmtp = {
  readonly port: number;
  /** What a real server would deliver now, in the order it came. */
  readonly ledger: Journal<Handover>;
  /** Behaves so towards everybody until called with null. */
  everybody(fault: Fault | null): void;
  close(): Promise<void>;
};

export async function startFaultySmtp(ledgerFile: string): Promise<FaultySmtp> {
  const ledger = await openJournal<Handover>(ledgerFile);
  const times = new Map<string, number>();
  let forAll: Fault | null = null;

  const fault: Fault = (moment, to) => forAll?.(moment, to) ?? reactionTo(moment, to.at(-1) ?? '', to);
  const server = await startRawSmtpServer(fault);

  function reactionTo(moment: Moment, address: string, to: readonly string[]): Reaction | undefined {
    const first = to[0] ?? '';
    if (moment === 'RCPT') return rcpt[behaviourOf(address)]?.(address);
    if (moment === 'BODY') return behaviourOf(first) === 'dropbody' && isDue(first) ? cut : undefined;
    return moment === 'DOT' ? dot(first) : undefined;
  }

  const rcpt: Partial<Record<Behaviour, (address: string) => Reaction | undefined>> = {
    tempfail: (address) => (isDue(address) ? say('451 4.2.1 Try again later') : undefined),
    reject: () => say('550 5.1.1 No such user'),
    slow: (address) => (socket) => setTimeout(() => say('250 2.1.5 OK')(socket), argumentOf(address)),
    busy: (address) => (isDue(address) ? sayAndCut('421 4.3.2 Shutting down') : undefined),
  };

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
        return keep(message, (socket) => setTimeout(() => say('250 2.0.0 Taken')(socket), argumentOf(first)));
      default:
        return keep(message, say('250 2.0.0 Taken'));
    }
  }

  /** From this moment the server has the message, whether or not its answer arrives. */
  function keep({ raw, to }: RawMessage, reaction: Reaction): Reaction {
    return (socket) => {
      const messageId = /^Message-ID: <(.+)>\r$/im.exec(raw)?.[1] ?? '';
      const from = /^From: .*?([^\s<>]+@[^\s<>]+)>?\r$/im.exec(raw)?.[1] ?? '';
      void ledger.write({ at: Date.now(), messageId, from, to: to.filter(isTaken) });
      reaction(socket);
    };
  }

  /** A server that refuses a recipient leaves it out of what it takes. */
  function isTaken(address: string): boolean {
    const behaviour = behaviourOf(address);
    return behaviour !== 'reject' && (behaviour !== 'tempfail' || (times.get(address) ?? 0) > argumentOf(address));
  }

  /** Counts this time; true while the behaviour is still asked for. */
  function isDue(address: string): boolean {
    const count = (times.get(address) ?? 0) + 1;
    times.set(address, count);
    return count <= argumentOf(address);
  }

  return {
    port: server.port,
    ledger,
    everybody(next) {
      forAll = next;
    },
    async close() {
      await server.close();
      await ledger.close();
    },
  };
}

/** Nobody who asks for this can ever be sent mail. */
export function isRefusedForGood(address: string): boolean {
  return ['reject', 'datareject'].includes(behaviourOf(address));
}

function behaviourOf(address: string): Behaviour {
  return (/^[a-z]+/.exec(address)?.[0] ?? 'ok') as Behaviour;
}

/** Once, unless the address says how often; for `late` the milliseconds. */
function argumentOf(address: string): number {
  return Number(/^[a-z]+\.(\d+)-/.exec(address)?.[1] ?? 1);
}
