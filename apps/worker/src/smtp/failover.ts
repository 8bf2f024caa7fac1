import type { Log } from '@posthorn/platform/logs';
import { type CircuitBreaker, openCircuitBreaker } from './circuit-breaker.js';
import { toRelay } from './connection.js';
import { openPool } from './pool.js';
import { type CommandReply, isSenderRefusal, mayTryNextRelay } from './reply.js';
import type { OutgoingMessage } from './send-message.js';
import type { Timeouts } from './timeouts.js';
import type { Transaction } from './transaction.js';

/** The result of an attempt. If it tried several relays, `route` is the one that gave this result. */
export type SendResult = Transaction & { readonly route: string };

/** No relay could be used. The email waits, and the attempt is not charged. */
export type NoRoute = {
  readonly end: 'no_route';
  /** The phase in which the last relay failed. */
  readonly phase: Transaction['phase'];
  readonly fault: string;
  readonly conversation: readonly string[];
  readonly route: string | null;
};

/** Called with each transaction, of which an attempt may have several. */
type OnTransaction = (relay: string, transaction: Transaction) => void;

export type Relays = ReturnType<typeof openRelays>;

/**
 * The routes of SMTP_URL in order of preference, each behind a circuit breaker.
 * @param checkSender the return path for checks of the relays
 */
export function openRelays(
  {
    smtpUrls,
    checkSender,
    timeouts,
  }: { readonly smtpUrls: readonly string[]; readonly checkSender: string; readonly timeouts: Timeouts },
  log: Log,
  onTransaction: OnTransaction = () => {},
) {
  const breakers = smtpUrls.map((url) => openCircuitBreaker(openPool(toRelay(url, timeouts)), log, { checkSender }));
  return {
    send: (outgoing: OutgoingMessage) => sendOverFirst(breakers, outgoing, onTransaction),
    /** Whether any relay may be used now. While none may be used, the worker claims no emails. */
    areAvailable: () => breakers.some((breaker) => breaker.isAvailable()),
    /** Whether every relay has failed. One email is then enough to find out whether a relay works again. */
    needProbe: () => breakers.every((breaker) => breaker.needsProbe()),
    /** Seconds until the first relay may be used again. */
    pauseSeconds: () =>
      Math.max(1, (Math.min(...breakers.map((breaker) => breaker.pausedUntil())) - performance.now()) / 1_000),
    readStates: () =>
      breakers.map((breaker) => ({
        relay: breaker.route,
        /** False while it is paused after a failure, has not worked again since, or refuses us. */
        isUsable: !breaker.needsProbe() && !breaker.isRefusing(),
        sessions: breaker.countSessions(),
      })),
    close(): void {
      for (const breaker of breakers) breaker.close();
    },
  };
}

const ALL_PAUSED: NoRoute = {
  end: 'no_route',
  phase: 'connect',
  fault: 'All relays are temporarily paused after failures',
  conversation: [],
  route: null,
};

/** Tries one relay after another, as long as none of them can have received the message. */
async function sendOverFirst(
  breakers: readonly CircuitBreaker[],
  outgoing: OutgoingMessage,
  onTransaction: OnTransaction,
): Promise<SendResult | NoRoute> {
  const tried: TriedRelay[] = [];
  let rest = outgoing;
  for (const breaker of breakers) {
    if (!breaker.isAvailable()) continue;
    const { route } = breaker;
    const transaction = await breaker.send(rest);
    onTransaction(route, transaction);
    const to = listForNextRelay(rest, transaction);
    if (to.length === 0 && tried.length === 0) return withRoute(route, transaction);
    tried.push({ route, to: rest.envelope.to, transaction });
    if (to.length === 0) break;
    rest = { ...outgoing, envelope: { from: outgoing.envelope.from, to } };
  }
  return tried.length === 0 ? ALL_PAUSED : combineTransactions(tried, breakers.length);
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
function listForNextRelay({ envelope }: OutgoingMessage, { end, replies }: Transaction): readonly string[] {
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
  return { end: 'no_route', phase, fault: fault ?? '', conversation, route };
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
