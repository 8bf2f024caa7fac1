/**
 * The first recipient's local part tells the mail server how to behave: `<behaviour>[.<count or ms>]-<anything>`.
 * With a count, the server misbehaves that many times for this address and then accepts its mail.
 * - ok: accepts at once    - slow.ms: the same, but replies to RCPT only after `ms`
 * - late.ms: takes the message at once, but replies 250 only after `ms`
 * - tempfail, reject, login: 451, 550 or 530 at RCPT    - datatemp, datareject: 451 or 554 after the final dot
 * - busy: 421 at RCPT, then closes    - dropbody: drops the connection at the first byte of the message
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

export function behaviourOf(address: string): RecipientBehaviour {
  return (/^[a-z]+/.exec(address)?.[0] ?? 'ok') as RecipientBehaviour;
}

/** The count in the address, 1 if it has none; for `slow` and `late`, milliseconds. */
export function behaviourArgument(address: string): number {
  return Number(/^[a-z]+\.(\d+)-/.exec(address)?.[1] ?? 1);
}

/** Whether the server never accepts mail for this address. */
export function isRejectedPermanently(address: string): boolean {
  return ['reject', 'login', 'datareject'].includes(behaviourOf(address));
}
