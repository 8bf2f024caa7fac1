import type { Caller } from '@posthorn/domain/accounts';
import { Refusal } from '@posthorn/domain/errors';
import { isTest } from '@posthorn/domain/workspaces';

/**
 * Keeps test keys away from what is about live mail.
 * @param what its name in the error
 * @returns the id of the live workspace
 * @throws Refusal missing_scope
 */
export function requireLiveMail({ workspace }: Caller, what: 'suppressions' | 'deliverability'): string {
  if (isTest(workspace)) throw new Refusal('missing_scope', { liveMailOnly: what });
  return workspace.id;
}
