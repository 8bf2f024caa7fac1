import { type CommitRequest, contentCharacters } from './commit-request.js';

/** How many emails share one accept transaction. A larger batch gets its own. */
export const groupSize = {
  /** A larger group costs less per email, but other requests that need the same usage rows wait longer. */
  max: 50,
  countIn: ({ emails }: CommitRequest) => emails.length,
  weigh: contentCharacters,
  /** Characters of html and text. Postgres reads a group of this size within a fraction of the time limit. */
  maxWeight: 4_000_000,
};
