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
