/**
 * Why a recipient was refused. The class decides what happens to the address, and who has to act.
 */
export const bounceClasses = [
  /** The mailbox does not exist. */
  'bad_mailbox',
  /** The mailbox exists, but it is no longer used. */
  'inactive',
  /** The domain does not exist, or takes no mail. */
  'bad_domain',
  'mailbox_full',
  /** We send too much or too fast for this receiver. */
  'rate',
  /** The receiver distrusts our IP address or domain. */
  'reputation',
  /** SPF, DKIM, DMARC or reverse DNS is missing or wrong. */
  'authentication',
  /** The receiver refuses this message, for example as spam or because it is too large. */
  'content',
  /** We broke the protocol, or the receiver says so. */
  'protocol',
  'unknown',
] as const;

export type BounceClass = (typeof bounceClasses)[number];
