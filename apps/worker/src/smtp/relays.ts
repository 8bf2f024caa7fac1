import type { Log } from '@posthorn/platform/logs';
import { type CircuitBreaker, openCircuitBreaker } from './circuit-breaker.js';
import {
  combineTransactions,
  type NoRoute,
  recipientsForNextRelay,
  type SendResult,
  type TriedRelay,
} from './failover.js';
import type { OutgoingMessage } from './outgoing-message.js';
import { openPool, type SessionCounts } from './pool.js';
import { toRelay } from './relay.js';
import type { Transaction } from './transaction.js';

/** @property hasFailed whether it is paused after a failure, or has not worked again since */
export type RelayState = { readonly relay: string; readonly hasFailed: boolean; readonly sessions: SessionCounts };

/** Called with each transaction, of which an attempt may have several. */
type OnTransaction = (relay: string, transaction: Transaction) => void;

export type Relays = {
  send(outgoing: OutgoingMessage): Promise<SendResult | NoRoute>;
  /** Whether any relay may be used now. While none may be used, the worker claims no emails. */
  areAvailable(): boolean;
  /**
   * Whether every relay has failed and none has recovered yet. One email is then enough to find out whether a relay
   * works again.
   */
  needProbe(): boolean;
  /** Seconds until the first relay may be used again. */
  pauseSeconds(): number;
  readStates(): RelayState[];
  close(): void;
};

const ALL_PAUSED: NoRoute = {
  end: 'no_route',
  phase: 'connect',
  fault: 'All relays are temporarily paused after failures',
  conversation: [],
  route: null,
};

/** Copies every field by name, because spreading an object costs V8 a lookup for each field. */
function withRoute(route: string, transaction: Transaction): SendResult {
  const { phase, end, suspicion, replies, fault, faultCode, conversation } = transaction;
  return { phase, end, suspicion, replies, fault, faultCode, conversation, route };
}

function withRecipients(outgoing: OutgoingMessage, to: readonly string[]): OutgoingMessage {
  return { ...outgoing, envelope: { from: outgoing.envelope.from, to } };
}

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
    const to = recipientsForNextRelay(rest, transaction);
    if (to.length === 0 && tried.length === 0) return withRoute(route, transaction);
    tried.push({ route, to: rest.envelope.to, transaction });
    if (to.length === 0) break;
    rest = withRecipients(outgoing, to);
  }
  return tried.length === 0 ? ALL_PAUSED : combineTransactions(tried, breakers.length);
}

/**
 * The routes of SMTP_URL in order of preference, each behind a circuit breaker.
 * @param checkSender the return path for checks of the relays
 */
export function openRelays(
  { smtpUrls, checkSender }: { readonly smtpUrls: readonly string[]; readonly checkSender: string },
  log: Log,
  onTransaction: OnTransaction = () => {},
): Relays {
  const breakers = smtpUrls.map((url) => openCircuitBreaker(openPool(toRelay(url)), log, { checkSender }));
  return {
    send: (outgoing) => sendOverFirst(breakers, outgoing, onTransaction),
    areAvailable: () => breakers.some((breaker) => breaker.isAvailable()),
    needProbe: () => breakers.every((breaker) => breaker.needsProbe()),
    pauseSeconds: () =>
      Math.max(1, (Math.min(...breakers.map((breaker) => breaker.pausedUntil())) - Date.now()) / 1_000),
    readStates: () =>
      breakers.map((breaker) => ({
        relay: breaker.route,
        hasFailed: breaker.needsProbe(),
        sessions: breaker.countSessions(),
      })),
    close() {
      for (const breaker of breakers) breaker.close();
    },
  };
}
