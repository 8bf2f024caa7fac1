import type { WaitsFor } from '@posthorn/domain/emails';
import type { CommandReply, Suspicion } from './reply.js';

/** How sending a message in a session ended. */
export type Transaction = {
  /**
   * - connect: no session was opened
   * - envelope: no part of the message has been sent
   * - data: part of it has been sent, so the server does not have the message
   * - reply: all of it has been sent, including the final dot; until the server replies, it may have the message
   */
  readonly phase: 'connect' | 'envelope' | 'data' | 'reply';
  /**
   * - completed: every recipient has a reply
   * - broken: the connection failed before the whole message was sent, so the server does not have it
   * - ambiguous: the connection failed after the final dot, so the server may have the message
   * - route_fault: no session could be opened, or the circuit breaker found that the relay is at fault
   * - lease_ended: we stopped before the first byte of the message, or before its end
   * - withheld: we stopped in the middle of the message, because an attachment could not be read or the handoff intent
   *   could not be written
   * - busy: all sessions that the relay allows are in use, so nothing was sent
   */
  readonly end: 'completed' | 'broken' | 'ambiguous' | 'route_fault' | 'busy' | OurEnd;
  /** Whether the relay may be at fault, and why. The circuit breaker finds out whether it is. */
  readonly suspicion: Suspicion | null;
  /** By recipient. A recipient that was refused individually keeps its own reply, however the transaction ended. */
  readonly replies: ReadonlyMap<string, CommandReply>;
  /** What went wrong: an error, or the reply that makes the relay suspect; null if there is neither. */
  readonly fault: string | null;
  /** The code of the reply or error, for logs. The server's text is not logged, because it may name a recipient. */
  readonly faultCode: string | null;
  readonly conversation: readonly string[];
  /** What the email waits for, if `end` is busy. */
  readonly limit?: WaitsFor;
};

/** How a transaction ends when we end it ourselves. The relay and its replies are not the cause. */
export type OurEnd = 'lease_ended' | 'withheld';

/**
 * Called when one of several envelopes has ended and others have not.
 * @param to its recipients. @param route the name of the relay
 */
export type OnEnvelope = (ended: {
  readonly to: readonly string[];
  readonly route: string;
  readonly transaction: Transaction;
}) => Promise<void>;
