import type { Log } from '@posthorn/domain';
import { openCircuitBreaker } from './circuit-breaker.js';
import type { OutgoingMessage } from './outgoing-message.js';
import { openPool } from './pool.js';
import { toRelay } from './relay.js';
import type { Transaction } from './transaction.js';

/** The result of the transaction with the first relay that could be used. */
export type Sent = Transaction & { readonly route: string };

/** No relay could be used. The email waits, and the attempt is not charged. */
export type NoRoute = {
  readonly end: 'no_route';
  /** The phase in which the last relay failed. */
  readonly phase: Transaction['phase'];
  readonly fault: string;
  readonly conversation: readonly string[];
  readonly route: string | null;
};

export type Relays = {
  send(outgoing: OutgoingMessage): Promise<Sent | NoRoute>;
  /** Whether any relay may be used now. While none may be used, the worker claims no emails. */
  areAvailable(): boolean;
  /** Whether every relay failed last time. One email is then enough to find out whether one works again. */
  needProbe(): boolean;
  /** Seconds until the first relay may be used again. */
  pauseSeconds(): number;
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
function withRoute(route: string, { phase, end, replies, fault, faultCode, conversation }: Transaction): Sent {
  return { phase, end, replies, fault, faultCode, conversation, route };
}

/** The routes of SMTP_URL in order of preference, each behind a circuit breaker. */
export function openRelays(smtpUrls: readonly string[], log: Log): Relays {
  const breakers = smtpUrls.map((url) => openCircuitBreaker(openPool(toRelay(url)), log));
  return {
    async send(outgoing) {
      let last = ALL_PAUSED;
      for (const breaker of breakers) {
        if (!breaker.isAvailable()) continue;
        const { route } = breaker;
        const sent = await breaker.send(outgoing);
        if (sent.end !== 'route_fault') return withRoute(route, sent);
        const { phase, fault, conversation } = sent;
        last = { end: 'no_route', phase, fault: fault ?? '', conversation, route };
      }
      return last;
    },
    areAvailable: () => breakers.some((breaker) => breaker.isAvailable()),
    needProbe: () => breakers.every((breaker) => breaker.needsProbe()),
    pauseSeconds: () =>
      Math.max(1, (Math.min(...breakers.map((breaker) => breaker.pausedUntil())) - Date.now()) / 1_000),
    close() {
      for (const breaker of breakers) breaker.close();
    },
  };
}
