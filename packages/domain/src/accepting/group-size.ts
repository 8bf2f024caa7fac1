import { type CommitRequest, contentCharacters } from './commit-request.js';

/** How many emails may share one accept transaction. A larger batch gets a transaction of its own. */
export const groupSize = {
  /** A larger group costs less per email, but makes other requests that need the same usage rows wait longer. */
  max: 50,
  countIn: ({ emails }: CommitRequest) => emails.length,
  weigh: contentCharacters,
  /**
   * Characters of html and text. Postgres reads a group of this size well within the time limit of an optimistic
   * commit.
   */
  maxWeight: 4_000_000,
};
