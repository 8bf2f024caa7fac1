import type { WaitsFor } from '@posthorn/domain/emails';
import type { Message } from '@posthorn/message';
import type { CircuitBreaker } from './circuit-breaker.js';
import { mergeTransactions } from './merge-transactions.js';
import { findNamedDelay } from './named-delay.js';
import type { RelayLimits } from './relay-limits.js';
import { type CommandReply, isSenderRefusal, mayTryNextRelay, toWait } from './reply.js';
import type { OutgoingMessage } from './send-message.js';
import type { SlowDowns } from './shared-slow-downs.js';
import { toFaultText } from './transaction.js';
import type { OnEnvelope, Transaction } from './transaction-result.js';
import type { Variant } from './variant.js';

/** The result for some recipients of an email. If several relays were tried, `route` is the one that gave this result. */
export type SendResult = Transaction & { readonly route: string };

/** No relay could be used. The email waits, and the attempt is not charged. */
export type NoRoute = {
  readonly end: 'no_route';
  /** The phase in which the last relay failed. */
  readonly phase: Transaction['phase'];
  readonly fault: string;
  readonly conversation: readonly string[];
  /** The relay that was tried last; null if none was. */
  readonly route: string | null;
  /** The limit of a relay that the email waits for; null if it was not a limit. */
  readonly limit: WaitsFor | null;
};

/** Called with each transaction, of which an attempt may have several. */
export type OnTransaction = (relay: string, transaction: Transaction) => void;

const ALL_PAUSED: NoRoute = {
  end: 'no_route',
  phase: 'connect',
  fault: 'All relays are temporarily paused after failures',
  conversation: [],
  route: null,
  limit: null,
};

const NO_RELAY: NoRoute = { ...ALL_PAUSED, fault: 'No relay is left in the route' };

/** Signs the copy of a message for a relay. @param address the recipient, or one of them. @throws Error if it cannot be signed */
export type BuildCopy = (variant: Variant | null, address: string) => Promise<Message>;

/** A message that is signed when it is known which relay gets it. */
export type Mail = Omit<OutgoingMessage, 'message'> & {
  readonly build: BuildCopy;
  readonly onEnvelope?: OnEnvelope | undefined;
};

/** A relay, and what it lets through. */
export type Way = {
  readonly breaker: CircuitBreaker;
  /** null for a relay without a rate or a warm-up. */
  readonly limits: RelayLimits | null;
  /** null for a relay that gets the same message as any other. */
  readonly variant: Variant | null;
  /** null for a relay that slows down for each site apart. */
  readonly slowDowns: SlowDowns | null;
};

/** Tries one relay after another, as long as none of them can have received the message. */
export async function sendOverFirst(
  ways: readonly Way[],
  outgoing: Mail,
  onTransaction: OnTransaction,
): Promise<SendResult | NoRoute> {
  const tried: TriedRelay[] = [];
  let rest = outgoing;
  for (const way of ways) {
    if (!way.breaker.isAvailable()) continue;
    const { route } = way.breaker;
    const transaction = await sendWithin(way, rest);
    // Mail over a limit waits for this relay, and does not go to the next one.
    if (transaction.end === 'no_route') return combine(ways, tried, transaction);
    onTransaction(route, transaction);
    const to = listForNextRelay(rest, transaction);
    if (to.length === 0 && tried.length === 0) return withRoute(route, transaction);
    tried.push({ route, to: rest.envelope.to, transaction });
    if (to.length === 0) break;
    rest = { ...outgoing, envelope: { from: outgoing.envelope.from, to } };
  }
  return combine(ways, tried, ways.length === 0 ? NO_RELAY : ALL_PAUSED);
}

function combine(ways: readonly Way[], tried: readonly TriedRelay[], untried: NoRoute): SendResult | NoRoute {
  return tried.length === 0 ? untried : combineTransactions(tried, ways.length);
}

/** Sends as much as the limits of the relay allow now. Recipients beyond that wait, as if it had said that we send too fast. */
async function sendWithin(way: Way, mail: Mail): Promise<Transaction | NoRoute> {
  const { breaker, limits, slowDowns } = way;
  const slowDown = slowDowns?.find(breaker.route);
  if (slowDown) return { ...ALL_PAUSED, fault: slowDown.reply, limit: `slow:${breaker.route}` };
  if (limits === null) return toLimit(breaker, await sendCopies(way, mail));
  const { from, to } = mail.envelope;
  const { granted, waitsFor } = await limits.admit(to.length);
  if (granted === 0) return { ...ALL_PAUSED, fault: `A limit of ${breaker.route} is reached`, limit: waitsFor };
  const sent = await sendCopies(way, { ...mail, envelope: { from, to: to.slice(0, granted) } });
  if (sent.phase === 'connect') await limits.giveBack(granted);
  const transaction = toLimit(breaker, sent);
  if (granted === to.length || transaction.end === 'no_route') return transaction;
  const waiting = toWait(`Waits for the warm-up of ${breaker.route}`);
  const others = to.slice(granted).map((address) => [address, waiting] as const);
  return { ...transaction, replies: new Map([...transaction.replies, ...others]) };
}

/** If the provider of the relay reports events, each recipient gets a copy, so that an event is about one person. */
async function sendCopies({ breaker, variant, slowDowns }: Way, mail: Mail): Promise<Transaction> {
  const { from, to } = mail.envelope;
  if (variant?.feedback == null || to.length === 1) {
    const transaction = await sendCopy(breaker, variant, mail);
    noteRate(slowDowns, breaker.route, transaction);
    return transaction;
  }
  const sent = await Promise.all(
    to.map(async (address) => {
      const transaction = await sendCopy(breaker, variant, { ...mail, envelope: { from, to: [address] } });
      noteRate(slowDowns, breaker.route, transaction);
      await mail.onEnvelope?.({ to: [address], route: breaker.route, transaction });
      return { to: [address], transaction };
    }),
  );
  return mergeTransactions(new Map(), sent, {
    isForAll: ({ end }) => end === 'route_fault',
    toReply: ({ fault }) => toWait(fault ?? 'Waits for the relay'),
  });
}

/** A relay that says that we send too fast gets nothing for a while. */
function noteRate(slowDowns: SlowDowns | null, route: string, { phase, replies }: Transaction): void {
  if (slowDowns === null) return;
  for (const { reply, meaning, refused } of replies.values()) {
    if (meaning !== 'refuses_us' || refused !== 'rate') continue;
    void slowDowns.begin(route, { text: `${reply.code} ${reply.text}`, delaySeconds: findNamedDelay(reply.text) });
    return;
  }
  if (phase === 'reply') slowDowns.end(route);
}

async function sendCopy(breaker: CircuitBreaker, variant: Variant | null, mail: Mail): Promise<Transaction> {
  const { build, workspaceId, envelope, mayStart, beforeEnd, onEnvelope, span } = mail;
  let message: Message;
  try {
    message = await build(variant, envelope.to[0] ?? '');
  } catch (error) {
    const fault = toFaultText(error as Error);
    return {
      ...{ phase: 'envelope', end: 'withheld', suspicion: null, replies: new Map() },
      fault,
      faultCode: null,
      conversation: [],
    };
  }
  return breaker.send({ workspaceId, envelope, message, mayStart, beforeEnd, span }, onEnvelope);
}

/** A relay whose sessions are all in use has reached a limit, too. */
function toLimit({ route }: CircuitBreaker, transaction: Transaction): Transaction | NoRoute {
  if (transaction.end !== 'busy') return transaction;
  return { ...ALL_PAUSED, fault: transaction.fault ?? '', limit: transaction.limit ?? `connections:${route}` };
}

/** Copies every field by name, because spreading an object costs V8 a lookup for each field. */
function withRoute(route: string, transaction: Transaction): SendResult {
  const { phase, end, suspicion, replies, fault, faultCode, conversation } = transaction;
  return { phase, end, suspicion, replies, fault, faultCode, conversation, route };
}

type TriedRelay = {
  readonly route: string;
  readonly to: readonly string[];
  readonly transaction: Transaction;
};

/**
 * The recipients that may be offered to the next relay: those that this relay refused for now, those for which it sent
 * no reply, and all of them if it refused the sender. There are none if this relay has or may have the message. If it
 * has the message for some recipients, the others wait for the next attempt, so that the outcome is recorded at once.
 */
function listForNextRelay({ envelope }: Mail, { end, replies }: Transaction): readonly string[] {
  if (end === 'lease_ended' || end === 'withheld' || end === 'ambiguous') return [];
  for (const { meaning } of replies.values()) if (meaning === 'accepted') return [];
  return envelope.to.filter((address) => mayTryNextRelay(replies.get(address)));
}

/**
 * Combines the transactions of an attempt into one result: the result from the last relay that was not at fault itself,
 * plus the replies that recipients got from earlier relays.
 * @param tried at least one
 * @param relayCount how many relays there are, including those that were not tried because they are paused
 */
function combineTransactions(tried: readonly TriedRelay[], relayCount: number): SendResult | NoRoute {
  const conversation = joinConversations(tried);
  const answered = tried.filter(({ transaction }) => transaction.end !== 'route_fault');
  const last = answered.at(-1);
  if (last === undefined) return toNoRoute(tried, conversation);
  const completed = answered.filter(({ transaction }) => transaction.end === 'completed');
  const replies = combineReplies(answered);
  return {
    ...last.transaction,
    route: last.route,
    replies: completed.length === relayCount ? replies : withoutSenderRefusals(replies),
    conversation,
  };
}

function toNoRoute(tried: readonly TriedRelay[], conversation: readonly string[]): NoRoute {
  const { route, transaction } = tried.at(-1) as TriedRelay;
  const { phase, fault } = transaction;
  return { end: 'no_route', phase, fault: fault ?? '', conversation, route, limit: null };
}

/** The last reply for each recipient. */
function combineReplies(answered: readonly TriedRelay[]): Map<string, CommandReply> {
  const replies = new Map<string, CommandReply>();
  for (const { to, transaction } of answered) {
    // The recipients' earlier replies no longer matter, because this relay may have the message.
    if (transaction.end === 'ambiguous') for (const address of to) replies.delete(address);
    for (const [address, reply] of transaction.replies)
      if (!(isAboutUs(reply) && replies.get(address)?.meaning === 'deferred')) replies.set(address, reply);
  }
  return replies;
}

/** Then an earlier relay's reply says more about the recipient. */
function isAboutUs(reply: CommandReply): boolean {
  return reply.meaning === 'refuses_us' || isSenderRefusal(reply);
}

/** Unless every relay has refused the sender, the email is deferred, because another relay may accept the sender. */
function withoutSenderRefusals(replies: ReadonlyMap<string, CommandReply>): Map<string, CommandReply> {
  const deferred = (reply: CommandReply): CommandReply =>
    isSenderRefusal(reply) ? { ...reply, meaning: 'deferred' } : reply;
  return new Map([...replies].map(([address, reply]) => [address, deferred(reply)]));
}

/**
 * If several relays were tried, a line before each conversation names the relay, and a line after it says what failed.
 */
function joinConversations(tried: readonly TriedRelay[]): readonly string[] {
  if (tried.length === 1) return tried.flatMap(({ transaction }) => transaction.conversation);
  return tried.flatMap(({ route, transaction: { end, fault, conversation } }) => [
    `-- ${route}`,
    ...conversation,
    ...(end === 'completed' ? [] : [`-- ${fault?.split('\n')[0]}`]),
  ]);
}
