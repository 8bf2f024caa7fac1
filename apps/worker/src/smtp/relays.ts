import type { Log } from '@posthorn/domain';
import { openCircuitBreaker } from './circuit-breaker.js';
import { openPool } from './pool.js';
import type { OutgoingMessage } from './progress.js';
import { toRelay } from './relay.js';
import type { Transaction } from './transaction.js';

/** What came of a message on the first relay that would take it. */
export type Sent = Transaction & { readonly route: string };

/** No relay could be used; the mail waits, no attempt is charged. */
export type NoRoute = {
  readonly end: 'no_route';
  /** How far the last relay let us come. */
  readonly phase: Transaction['phase'];
  readonly fault: string;
  readonly conversation: readonly string[];
  readonly route: string | null;
};

export type Relays = {
  send(outgoing: OutgoingMessage): Promise<Sent | NoRoute>;
  /** Whether any relay may be tried now; while none may, no mail is claimed. */
  areOpen(): boolean;
  /** Seconds until one may be tried again. */
  pauseSeconds(): number;
  close(): void;
};

const ALL_CLOSED: NoRoute = {
  end: 'no_route',
  phase: 'connect',
  fault: 'Every relay is being left alone after a failure',
  conversation: [],
  route: null,
};

/** All fields by name: objects that are copied as they are cost the engine a look-up for each. */
function along(route: string, { phase, end, replies, fault, faultCode, conversation }: Transaction): Sent {
  return { phase, end, replies, fault, faultCode, conversation, route };
}

/** The routes of SMTP_URL in order of preference, each behind a circuit breaker. */
export function openRelays(smtpUrls: readonly string[], log: Log): Relays {
  const circuits = smtpUrls.map((url) => openCircuitBreaker(openPool(toRelay(url)), log));
  return {
    async send(outgoing) {
      let last = ALL_CLOSED;
      for (const circuit of circuits) {
        if (!circuit.mayTry()) continue;
        const { route } = circuit;
        const sent = await circuit.send(outgoing);
        if (sent.end !== 'route_fault') return along(route, sent);
        const { phase, fault, conversation } = sent;
        last = { end: 'no_route', phase, fault: fault ?? '', conversation, route };
      }
      return last;
    },
    areOpen: () => circuits.some((circuit) => circuit.mayTry()),
    pauseSeconds: () => Math.max(1, (Math.min(...circuits.map((circuit) => circuit.opensAt())) - Date.now()) / 1_000),
    close() {
      for (const circuit of circuits) circuit.close();
    },
  };
}
