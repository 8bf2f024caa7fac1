import type { Log } from '@posthorn/domain';
import { storableText } from '@posthorn/domain';
import type { NodemailerError } from 'nodemailer/lib/errors';
import { RouteFault } from './connection.js';
import type { Pool } from './pool.js';
import type { OutgoingMessage } from './progress.js';
import type { Transaction } from './transaction.js';

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/**
 * How long one message tries the relay alone. One that a tarpit holds would otherwise keep a relay
 * closed that has recovered; and to give it up so soon would keep out a server that is only slow.
 */
const PROBE_ALONE_MS = 10_000;

/** A relay behind a circuit breaker. */
export type CircuitBreaker = {
  readonly route: string;
  /** False while the relay is left alone after a failure, and while one message is trying it, for a while. */
  mayTry(): boolean;
  /** Milliseconds since the epoch. */
  opensAt(): number;
  /** A session that cannot be had is a result too: its end is `route_fault`. */
  send(outgoing: OutgoingMessage): Promise<Transaction>;
  close(): void;
};

/** A relay that fails us is left alone for a second, then two, up to half a minute. */
export function openCircuitBreaker(pool: Pool, log: Log, { probeAloneMs = PROBE_ALONE_MS } = {}): CircuitBreaker {
  const relay = pool.relay.name;
  let failures = 0;
  let closedUntil = 0;
  let probe = { aloneUntil: 0 };

  function fail({ phase, faultCode }: Transaction): void {
    // What was in hand when the relay failed fails with it: that is one failure, not twenty.
    if (closedUntil > Date.now()) return;
    failures += 1;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS);
    closedUntil = Date.now() + pauseMs;
    log.warn({ relay, failures, pauseMs, phase, code: faultCode }, 'relay_failed');
  }

  function succeed(): void {
    if (failures > 0) log.info({ relay }, 'relay_back');
    failures = 0;
  }

  return {
    route: relay,
    mayTry: () => failures === 0 || (closedUntil <= Date.now() && probe.aloneUntil <= Date.now()),
    opensAt: () => closedUntil,
    async send(outgoing) {
      const ours = { aloneUntil: Date.now() + probeAloneMs };
      if (failures > 0) probe = ours;
      try {
        const transaction = await sendOrFault(pool, outgoing);
        if (transaction.end === 'route_fault') fail(transaction);
        else succeed();
        return transaction;
      } finally {
        // What was sent before the failure is no probe: its end lets no second one through.
        ours.aloneUntil = 0;
      }
    },
    close: () => pool.close(),
  };
}

async function sendOrFault(pool: Pool, outgoing: OutgoingMessage): Promise<Transaction> {
  try {
    return await pool.send(outgoing);
  } catch (error) {
    if (!(error instanceof RouteFault)) throw error;
    const { message, cause, conversation } = error;
    return {
      phase: 'connect',
      end: 'route_fault',
      replies: new Map(),
      fault: storableText(message.slice(0, 500)),
      faultCode: faultCodeOf(cause),
      conversation,
    };
  }
}

/** Every error of nodemailer's, as far as it goes: only a server's reply has a `responseCode`. */
type SmtpError = Error & Partial<Pick<NodemailerError, 'code' | 'originalCode' | 'responseCode'>>;

/** `421`, `ECONNREFUSED` ...: what broke, without the server's text, which may name a recipient. */
function faultCodeOf({ responseCode, originalCode, code }: SmtpError): string | null {
  return responseCode?.toString() ?? originalCode ?? code ?? null;
}
