import type { Log } from '@posthorn/platform/logs';
import { computePause } from '@posthorn/platform/values';
import type { Pool } from './pool.js';
import type { OutgoingMessage } from './send-message.js';
import type { OnEnvelope, Transaction } from './transaction-result.js';

/**
 * How long a message is the only probe of the relay. After this time, another message may probe it too, because a probe
 * that hangs must not block a relay that has recovered. The first probe is not aborted, because the server may be slow.
 */
const SINGLE_PROBE_MS = 10_000;
/** If the mail of this many workspaces fails without a success in between, the relay is at fault. */
const MIN_FAILING_WORKSPACES = 3;
/** How long a workspace counts as failing. Failures that are hours apart need not have the same cause. */
const FAILING_WORKSPACE_MS = 60_000;

/** A relay as messages are sent by it: one server behind a circuit breaker, or the mail servers of the recipients. */
export type CircuitBreaker = Omit<ReturnType<typeof openCircuitBreaker>, 'countRoom' | 'send'> & {
  send(outgoing: OutgoingMessage, onEnvelope?: OnEnvelope): Promise<Transaction>;
  /** How many emails that wait for room should be claimed. @param place the site, if the relay has several */
  countRoom(place: string): number | Promise<number>;
  /** Open sessions by site, if the relay has several. */
  countSessionsBySite?(): ReadonlyMap<string, number>;
};

type State = {
  readonly pause: ReturnType<typeof openRelayPause>;
  readonly check: ReturnType<typeof openRelayCheck>;
  readonly failingWorkspaces: ReturnType<typeof openRecentWorkspaces>;
};

type Settings = {
  readonly checkSender: string;
  readonly singleProbeMs?: number;
  readonly failingWorkspaceMs?: number;
  /** Called when the relay has refused us or failed. @param why may be shown to the operator */
  readonly onTrouble?: (why: string) => void;
};

/** @param route the name of the relay */
export function openCircuitBreaker(
  route: string,
  pool: Pool,
  log: Log,
  {
    checkSender,
    singleProbeMs = SINGLE_PROBE_MS,
    failingWorkspaceMs = FAILING_WORKSPACE_MS,
    onTrouble = () => {},
  }: Settings,
) {
  const pause = openRelayPause(route, log, onTrouble);
  const failingWorkspaces = openRecentWorkspaces(failingWorkspaceMs);
  const refusals = openRefusals(route, log, onTrouble);
  const state: State = { pause, check: openRelayCheck(pool, checkSender), failingWorkspaces };
  let probe = { aloneUntil: 0 };
  return {
    route,
    /** False while the relay is paused after a failure, and while a message probes it. */
    isAvailable: () => !pause.hasFailed() || (pause.isOver() && probe.aloneUntil <= performance.now()),
    /** Whether the next message sent through this relay is a probe. */
    needsProbe: () => pause.hasFailed(),
    pausedUntil: pause.until,
    /** Whether it has refused us lately, at least for the mail of one workspace. */
    isRefusing: refusals.any,
    /** If the relay is at fault and does not have the message, the `end` of the result is `route_fault`. */
    async send(outgoing: OutgoingMessage): Promise<Transaction> {
      const thisProbe = { aloneUntil: performance.now() + singleProbeMs };
      if (pause.hasFailed()) probe = thisProbe;
      try {
        const transaction = await pool.send(outgoing);
        if (transaction.end === 'busy') return transaction;
        refusals.note(transaction, outgoing.workspaceId);
        if (transaction.suspicion !== null) return await settle(state, transaction, outgoing.workspaceId);
        state.failingWorkspaces.clear();
        pause.recover();
        return transaction;
      } finally {
        // A message that was sent before the failure is not the probe, so its end must not allow a second probe.
        thisProbe.aloneUntil = 0;
      }
    },
    countRoom: pool.countRoom,
    countSessions: pool.countSessions,
    close: pool.close,
  };
}

/**
 * Decides whether the relay or the email is at fault. If no session could be opened, the relay is at fault. Otherwise,
 * a check decides, so that a relay that refuses one tenant's senders or recipients stays in use for everyone else. A
 * check ends after MAIL. Failures after MAIL pause the relay only if the transactions of several workspaces fail in a
 * row.
 */
async function settle(state: State, transaction: Transaction, workspaceId: string): Promise<Transaction> {
  const { pause, check, failingWorkspaces } = state;
  const failure = await findFailure(state, transaction);
  if (failure !== null) {
    check.forget();
    failingWorkspaces.clear();
    pause.fail(failure);
    // If the transaction is ambiguous, the relay may have the message although it is at fault.
    return transaction.end === 'ambiguous' ? transaction : { ...transaction, end: 'route_fault' };
  }
  // The message was sent before the pause began, so its result says nothing about the relay after the pause.
  if (!pause.isOver()) return transaction;
  // The relay accepted MAIL in the check, so the refusal of another sender is no evidence against the relay.
  if (transaction.suspicion !== 'sender') failingWorkspaces.add(workspaceId);
  if (failingWorkspaces.count() < MIN_FAILING_WORKSPACES) pause.recover();
  else {
    // After the pause, a single workspace must not be enough to cause another pause.
    failingWorkspaces.clear();
    pause.fail(transaction);
  }
  return transaction;
}

/** @returns the transaction or check in which the relay failed; null if it passed a check */
async function findFailure({ pause, check }: State, transaction: Transaction): Promise<Transaction | null> {
  if (transaction.end === 'route_fault') return transaction;
  if (check.hasPassed()) return null;
  return pause.isOver() ? check.run() : transaction;
}

/**
 * How long a passed check is valid. If the relay keeps refusing a tenant's mail, it is checked only once in this
 * period, not once for each email.
 */
const CHECK_VALID_MS = 5_000;

/** Finds out whether a relay accepts any mail from us: it sends MAIL with one of our return paths, but no message. */
function openRelayCheck(pool: Pool, sender: string) {
  const message = messageWithoutRecipients(sender);
  let running: Promise<Transaction | null> | null = null;
  let passedUntil = 0;

  async function check(): Promise<Transaction | null> {
    const transaction = await pool.send(message);
    if (transaction.end === 'busy') return null;
    if (transaction.end !== 'completed' || transaction.suspicion !== null) return transaction;
    passedUntil = performance.now() + CHECK_VALID_MS;
    return null;
  }

  return {
    /** Whether the relay has just passed a check, so that no other check is needed. */
    hasPassed: () => passedUntil > performance.now(),
    /** Checks the relay, or waits for the check that is running. @returns the failed check; null if the relay passed */
    run() {
      running ??= check().finally(() => {
        running = null;
      });
      return running;
    },
    /** Call this when the relay has failed after a check. */
    forget() {
      passedUntil = 0;
    },
  };
}

function messageWithoutRecipients(from: string): OutgoingMessage {
  return { workspaceId: '', envelope: { from, to: [] }, message: Buffer.alloc(0), mayStart: () => false };
}

/** A refusal is forgotten after this time, unless it is repeated. */
const REFUSING_MS = 5 * 60_000;

/** The workspaces for whose mail the relay refuses us, until it takes a message of theirs. */
function openRefusals(relay: string, log: Log, onTrouble: (why: string) => void) {
  const refused = openRecentWorkspaces(REFUSING_MS);
  return {
    note({ suspicion, phase, end, fault, faultCode }: Transaction, workspaceId: string): void {
      if (suspicion === 'refusal') {
        onTrouble(describeTrouble({ fault, faultCode }));
        if (!refused.has(workspaceId)) log.warn({ relay, workspaceId, phase, code: faultCode }, 'relay_refuses_us');
        refused.add(workspaceId);
      } else if (phase === 'reply' && end === 'completed') refused.delete(workspaceId);
    },
    any: () => refused.count() > 0,
  };
}

const ADDRESSES = /<?[^\s<>]+@[^\s<>]+>?/g;

/** The code and the text of the reply, or of the error, without addresses, because nobody erases them there. */
function describeTrouble({ fault, faultCode }: Pick<Transaction, 'fault' | 'faultCode'>): string {
  const parts = [faultCode, fault].filter((part) => part !== null);
  return parts.join(' ').replace(ADDRESSES, '<>');
}

/** The pauses of a relay, in milliseconds. */
const BACKOFF = { first: 1_000, max: 30_000 };

/** How long a relay is left alone after its failures. */
function openRelayPause(relay: string, log: Log, onTrouble: (why: string) => void) {
  let failures = 0;
  let until = 0;
  const isOver = () => until <= performance.now();
  return {
    fail({ phase, fault, faultCode }: Pick<Transaction, 'phase' | 'fault' | 'faultCode'>): void {
      // All messages that are being sent fail together, which counts as one failure.
      if (!isOver()) return;
      failures += 1;
      onTrouble(describeTrouble({ fault, faultCode }));
      const pauseMs = computePause(failures, BACKOFF);
      until = performance.now() + pauseMs;
      log.warn({ relay, failures, pauseMs, phase, code: faultCode }, 'relay_failed');
    },
    recover(): void {
      if (failures > 0) log.info({ relay }, 'relay_back');
      failures = 0;
    },
    /** Whether the relay has failed and not recovered yet, even if the pause is over. */
    hasFailed: () => failures > 0,
    isOver,
    /** When the pause ends, by the clock of `performance.now()`. */
    until: () => until,
  };
}

const MAX_WORKSPACES = 1_000;

/**
 * Workspaces that were added within `maxAgeMs`. The oldest ones are forgotten if there are too many. `failingWorkspaces`
 * are those whose transactions failed since the last success or pause, although the relay passed its checks.
 */
function openRecentWorkspaces(maxAgeMs: number) {
  /** In the order of their times. */
  const addedAt = new Map<string, number>();
  const isRecent = (at: number | undefined) => at !== undefined && at >= performance.now() - maxAgeMs;
  return {
    add(workspaceId: string): void {
      addedAt.delete(workspaceId);
      addedAt.set(workspaceId, performance.now());
      const [oldest] = addedAt.keys();
      if (addedAt.size > MAX_WORKSPACES && oldest !== undefined) addedAt.delete(oldest);
    },
    has: (workspaceId: string) => isRecent(addedAt.get(workspaceId)),
    delete: (workspaceId: string) => addedAt.delete(workspaceId),
    count(): number {
      for (const [workspaceId, at] of addedAt) if (!isRecent(at)) addedAt.delete(workspaceId);
      return addedAt.size;
    },
    clear: () => addedAt.clear(),
  };
}
