import type { Log } from '@posthorn/platform/logs';
import type { Transaction } from './transaction.js';

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

/**
 * How long a relay is left alone: one second after its first failure, doubling with each subsequent failure, up to
 * 30 seconds.
 */
export type RelayPause = {
  /** @param failure what is logged about the failure */
  fail(failure: Pick<Transaction, 'phase' | 'faultCode'>): void;
  recover(): void;
  /** Whether the relay has failed and not recovered yet, even if the pause is over. */
  hasFailed(): boolean;
  isOver(): boolean;
  /** When the pause ends, in milliseconds since the epoch. */
  until(): number;
};

export function openRelayPause(relay: string, log: Log): RelayPause {
  let failures = 0;
  let until = 0;
  const isOver = () => until <= Date.now();
  return {
    fail({ phase, faultCode }) {
      // All messages that are being sent fail together, which counts as one failure.
      if (!isOver()) return;
      failures += 1;
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS);
      until = Date.now() + pauseMs;
      log.warn({ relay, failures, pauseMs, phase, code: faultCode }, 'relay_failed');
    },
    recover() {
      if (failures > 0) log.info({ relay }, 'relay_back');
      failures = 0;
    },
    hasFailed: () => failures > 0,
    isOver,
    until: () => until,
  };
}
