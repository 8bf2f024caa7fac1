import type { Workspace } from '../accounts/caller.js';
import type { NewEmail } from '../emails/email.js';
import type { Claim } from './claim.js';
import type { Periods } from './periods.js';

/** One accepted request on its way into Postgres. */
export type Entry = {
  readonly workspace: Workspace;
  readonly periods: Periods;
  readonly email: NewEmail;
  readonly claim: Claim | null;
  /** The answer to the client, byte for byte; kept with the key. */
  readonly answer: string;
};
