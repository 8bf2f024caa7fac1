import { type Caller, Refusal, type SessionCaller } from '@posthorn/domain';

/** The session behind a request to a route that lets no keys in. */
export function sessionOf(caller: Caller): SessionCaller {
  if (caller.kind !== 'session') throw new Refusal('unauthenticated');
  return caller;
}
