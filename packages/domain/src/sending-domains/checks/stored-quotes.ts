import { type Evaluation, wrong } from '../domain/finding.js';

/** Quotes around a value, or between strings of one, that a panel took for a part of it. */
const QUOTES = /^\s*"|"\s*"|"\s*$/;

export const storedQuotes: Evaluation = wrong(
  'The quotes are stored as a part of the value, so receivers cannot read it; paste it without quotes.',
);

/** Receivers take such a value as it is, quotes and all. */
export function hasStoredQuotes(value: string): boolean {
  return QUOTES.test(value);
}
