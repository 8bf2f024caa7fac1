import { Refusal } from '@posthorn/domain/errors';
import { findSqlState, sqlStates } from '@posthorn/platform/postgres';

/** Whether the error came from the unique index that lets only one workspace verify a name. */
export function isNameTaken(error: unknown): boolean {
  return findSqlState(error) === sqlStates.uniqueViolation;
}

export function nameTaken(): Refusal {
  return new Refusal('conflict', {
    reason:
      'Another workspace has verified this domain, and only one workspace may send from it. Delete the domain there, or remove that workspace’s _posthorn record from DNS and try again in two days.',
  });
}
