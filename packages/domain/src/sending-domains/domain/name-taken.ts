import { Refusal } from '../../errors.js';

const UNIQUE_VIOLATION = '23505';

/** Whether the database refused to verify a name for a second workspace: its unique index decides races. */
export function isNameTaken(error: unknown): boolean {
  return (error as { code?: unknown }).code === UNIQUE_VIOLATION;
}

export function nameTaken(): Refusal {
  return new Refusal('conflict', {
    reason:
      'The domain is verified by another workspace, and only one may send from it; delete it there, or remove that workspace’s _posthorn record from DNS and try again in two days.',
  });
}
