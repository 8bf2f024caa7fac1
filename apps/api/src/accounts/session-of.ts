import type { Caller, SessionCaller } from '@posthorn/domain/accounts';
import { Refusal } from '@posthorn/domain/errors';

/** The session of a caller, on a route that only sessions can call. */
export function sessionOf(caller: Caller): SessionCaller {
  if (caller.kind !== 'session') throw new Refusal('unauthenticated', { sessionOnly: true });
  return caller;
}
