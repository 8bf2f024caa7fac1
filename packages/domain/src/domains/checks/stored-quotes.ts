import { type RateEvaluation, wrong } from '../domain/finding.js';

/** Quotes around a value or between its strings that a DNS panel stored as part of the value. */
const QUOTES = /^\s*"|"\s*"|"\s*$/;

export const storedQuotes: RateEvaluation = wrong(
  'The quotes are stored as part of the value, so receivers cannot read it. Paste the value without quotes.',
);

/** Receivers do not remove the quotes from such a value. */
export function hasStoredQuotes(value: string): boolean {
  return QUOTES.test(value);
}
