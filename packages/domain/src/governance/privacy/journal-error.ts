/** A journal that is not complete, or that cannot be read with this SECRET_KEY. The message is for the operator. */
export class JournalError extends Error {
  override name = 'JournalError';
}
