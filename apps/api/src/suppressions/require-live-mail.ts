import { type Caller, isTest, Refusal } from '@posthorn/domain';

/**
 * Suppressions apply to live mail only, so a test key must neither read nor change them.
 * @returns the id of the live workspace
 * @throws Refusal missing_scope
 */
export function requireLiveMail({ workspace }: Caller): string {
  if (isTest(workspace)) throw new Refusal('missing_scope', { liveMailOnly: 'suppressions' });
  return workspace.id;
}
