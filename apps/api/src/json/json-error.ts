import type { SyntaxFault } from './find-syntax-error.js';

/** What is wrong with a JSON body. Plain data, because it is sent between threads. */
export type JsonFault =
  | { readonly kind: 'not_utf8' | 'too_many_values' | 'too_many_characters_outside_strings' }
  /** `at` is null if the body is too large to search for the error. */
  | { readonly kind: 'syntax'; readonly at: SyntaxFault | null }
  | { readonly kind: 'too_deep'; readonly levels: number }
  | { readonly kind: 'too_many_fields'; readonly field: string; readonly fields: number }
  | { readonly kind: 'unstorable' | 'unstorable_name' | 'reserved_name' | 'duplicate_name'; readonly field: string };

export class JsonError extends Error {
  override name = 'JsonError';

  constructor(readonly fault: JsonFault) {
    super(fault.kind);
  }
}
