/**
 * The first recipient's local part tells the mail server how to behave: `<behaviour>[.<count or ms>]-<anything>`.
 * With a count, the server misbehaves that many times for this address and then accepts mail for it.
 * - ok: accepts at once
 * - slow.ms: replies to RCPT only after `ms`, and otherwise accepts at once
 * - late.ms: takes the message at once, but replies 250 only after `ms`
 * - tempfail, reject, login: replies 451, 550 or 530 to RCPT
 * - datatemp, datareject: replies 451 or 554 after the final dot
 * - busy: replies 421 to RCPT, then closes the connection
 * - dropbody: drops the connection at the first byte of the message
 * - dropdot: takes the message, then drops the connection instead of replying 250
 */
export type RecipientBehaviour =
  | 'ok'
  | 'slow'
  | 'late'
  | 'tempfail'
  | 'reject'
  | 'login'
  | 'datatemp'
  | 'datareject'
  | 'busy'
  | 'dropbody'
  | 'dropdot';

export function readBehaviour(address: string): RecipientBehaviour {
  return (/^[a-z]+/.exec(address)?.[0] ?? 'ok') as RecipientBehaviour;
}

/** The count in the address, or 1 if it has none. For `slow` and `late`, it is in milliseconds. */
export function behaviourArgument(address: string): number {
  return Number(/^[a-z]+\.(\d+)-/.exec(address)?.[1] ?? 1);
}

/** Whether the server never accepts mail for this address. */
export function isRejectedPermanently(address: string): boolean {
  return ['reject', 'login', 'datareject'].includes(readBehaviour(address));
}
