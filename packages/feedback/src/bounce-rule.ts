import type { BounceClass } from '@posthorn/contract';

/**
 * What a server refuses if it does not refuse the recipient: our message, or us, for the reason named. `recipients`
 * means that the transaction had too many.
 */
export type RefusedPart =
  | 'message'
  | 'relaying'
  | 'login'
  | 'account'
  | 'quota'
  | 'rate'
  | 'sender'
  | 'blocked'
  | 'recipients';

/** A rule matches a reply if every condition that it has is met. */
export type BounceRule = {
  readonly class: BounceClass;
  /** Undefined if the reply is about the recipient, or if that cannot be told. */
  readonly about?: RefusedPart;
  readonly codes?: readonly number[];
  /** Matched with the enhanced status code (RFC 3463). */
  readonly enhanced?: RegExp;
  /** The rule does not match replies with these enhanced status codes. */
  readonly exceptEnhanced?: RegExp;
  /**
   * Matched with the text, without its codes, and with `<>` for each address. If the reply repeats that of another
   * server, only that is matched.
   */
  readonly text?: RegExp;
  /** The rule does not match replies with such a text. */
  readonly exceptText?: RegExp;
  /** Whether `text` is also matched with what stands around a repeated reply. */
  readonly matchesWholeReply?: true;
  /** Whether the texts are matched with links and advice, too. */
  readonly matchesLinks?: true;
  /** Replies that this rule, and no earlier one, matches. */
  readonly samples: readonly [string, string, ...string[]];
  /** Where the codes and texts are documented or come from. */
  readonly source: string;
};
