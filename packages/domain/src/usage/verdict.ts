import type { Entry } from '../accepting/commit-request.js';
import type { Rejection } from '../grouping.js';

/** `replay` holds the answer that this key was given before; then nothing was written. */
export type Written = { readonly replay: string | null };

/** What the ledger says to one entry. */
export type Verdict = Written | Rejection;

export const WRITTEN: Written = { replay: null };

export function writtenOf(entries: readonly Entry[], verdicts: readonly Verdict[]): Entry[] {
  return entries.filter((_, index) => verdicts[index] === WRITTEN);
}
