/**
 * What the first recipient's local part asks the mail server to do: `<behaviour>[.<count or ms>]-<anything>`.
 * With a count the server behaves so that many times for this address and then as usual.
 * - ok: takes it and says so at once    - slow.ms: the same, after thinking so long about RCPT
 * - late.ms: takes it at once, but says so only after so long
 * - tempfail, reject: 451 or 550 at RCPT     - datatemp, datareject: 451 or 554 after the dot
 * - busy: 421 at RCPT and closes   - dropbody: breaks at the first byte of the message
 * - dropdot: takes the message, and breaks in place of the 250
 */
export type RecipientBehaviour =
  | 'ok'
  | 'slow'
  | 'late'
  | 'tempfail'
  | 'reject'
  | 'datatemp'
  | 'datareject'
  | 'busy'
  | 'dropbody'
  | 'dropdot';

export function behaviourOf(address: string): RecipientBehaviour {
  return (/^[a-z]+/.exec(address)?.[0] ?? 'ok') as RecipientBehaviour;
}

/** Once, unless the address says how often; for `slow` and `late` the milliseconds. */
export function behaviourArgument(address: string): number {
  return Number(/^[a-z]+\.(\d+)-/.exec(address)?.[1] ?? 1);
}

/** Nobody who asks for this can ever be sent mail. */
export function isRejectedPermanently(address: string): boolean {
  return ['reject', 'datareject'].includes(behaviourOf(address));
}
