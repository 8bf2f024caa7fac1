import type { Log } from '@posthorn/domain';
import type { NodemailerError } from 'nodemailer/lib/errors';
import { RouteFault } from './connection.js';
import type { OutgoingMessage } from './outgoing-message.js';
import type { Pool } from './pool.js';
import { faultText, type Transaction } from './transaction.js';

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/**
 * How long one message probes the relay alone. After this time another message may probe too, because a probe that
 * hangs must not block a relay that has recovered. The first probe is not aborted, because the server may be slow.
 */
const SINGLE_PROBE_MS = 10_000;

/** A relay behind a circuit breaker. */
export type CircuitBreaker = {
  readonly route: string;
  /** False while the relay is paused after a failure, and while a message probes it. */
  isAvailable(): boolean;
  /** Whether the next message that it takes is a probe. */
  needsProbe(): boolean;
  /** When the pause ends, in milliseconds since the epoch. */
  pausedUntil(): number;
  /** If no session can be opened, the result has the end `route_fault`. */
  send(outgoing: OutgoingMessage): Promise<Transaction>;
  close(): void;
};

/** A relay that fails is paused for one second. Each further failure doubles the pause, up to 30 seconds. */
export function openCircuitBreaker(pool: Pool, log: Log, { singleProbeMs = SINGLE_PROBE_MS } = {}): CircuitBreaker {
  const relay = pool.relay.name;
  let failures = 0;
  let pausedUntil = 0;
  let probe = { aloneUntil: 0 };

  function fail({ phase, faultCode }: Transaction): void {
    // All messages that were being sent fail together. That is one failure, not twenty.
    if (pausedUntil > Date.now()) return;
    failures += 1;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS);
    pausedUntil = Date.now() + pauseMs;
    log.warn({ relay, failures, pauseMs, phase, code: faultCode }, 'relay_failed');
  }

  function succeed(): void {
    if (failures > 0) log.info({ relay }, 'relay_back');
    failures = 0;
  }

  return {
    route: relay,
    isAvailable: () => failures === 0 || (pausedUntil <= Date.now() && probe.aloneUntil <= Date.now()),
    needsProbe: () => failures > 0,
    pausedUntil: () => pausedUntil,
    async send(outgoing) {
      const thisProbe = { aloneUntil: Date.now() + singleProbeMs };
      if (failures > 0) probe = thisProbe;
      try {
        const transaction = await trySend(pool, outgoing);
        if (transaction.end === 'route_fault') fail(transaction);
        else succeed();
        return transaction;
      } finally {
        // A message that was sent before the failure is not the probe, so its end must not allow a second one.
        thisProbe.aloneUntil = 0;
      }
    },
    close: () => pool.close(),
  };
}

async function trySend(pool: Pool, outgoing: OutgoingMessage): Promise<Transaction> {
  try {
    return await pool.send(outgoing);
  } catch (error) {
    if (!(error instanceof RouteFault)) throw error;
    const { cause, conversation } = error;
    return {
      phase: 'connect',
      end: 'route_fault',
      replies: new Map(),
      fault: faultText(error),
      faultCode: faultCodeOf(cause),
      conversation,
    };
  }
}

/** Any nodemailer error. Only a reply from the server has a `responseCode`. */
type SmtpError = Error & Partial<Pick<NodemailerError, 'code' | 'originalCode' | 'responseCode'>>;

/** `421`, `ECONNREFUSED` and so on. The server's text is not logged, because it may name a recipient. */
function faultCodeOf({ responseCode, originalCode, code }: SmtpError): string | null {
  return responseCode?.toString() ?? originalCode ?? code ?? null;
}
