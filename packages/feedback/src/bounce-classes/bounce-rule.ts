import type { BounceClass } from '@posthorn/contract';

/** A rule matches a reply if every condition that it has is met. */
export type BounceRule = {
  readonly class: BounceClass;
  readonly codes?: readonly number[];
  /** Matched with the enhanced status code (RFC 3463). */
  readonly enhanced?: RegExp;
  /** The rule does not match replies with these enhanced status codes. */
  readonly exceptEnhanced?: RegExp;
  /** Matched with the text, without its codes. */
  readonly text?: RegExp;
  /** Replies that this rule, and no earlier one, matches. */
  readonly samples: readonly [string, string, ...string[]];
  /** Where the codes and texts are documented or come from. */
  readonly source: string;
};
