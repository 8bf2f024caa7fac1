import type { Db } from '../connect.js';
import type { OnLockWait } from './retry-on-locks.js';

/** What a part of a migration needs that is too long for one transaction. */
export type Step = {
  readonly db: Db;
  /** The name of the migration. */
  readonly migration: string;
  readonly onWait: OnLockWait;
  /** @throws Error if this process may not migrate any more */
  assertHeld(): void;
};
