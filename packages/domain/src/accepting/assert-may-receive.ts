import { Refusal } from '@posthorn/domain/errors';
import { addressKey, simulatorEndingOf } from '@posthorn/domain/format';
import { isTest, type Workspace } from '@posthorn/domain/workspaces';
import type { Config } from '@posthorn/platform/config';
import type { SendRequest } from './send-request.js';

/**
 * Until the owner confirms their address, live mail goes to that address only. Test mail and mail for the simulator
 * are allowed, because they are never sent to a mail server.
 * @throws Refusal account_not_verified for any other recipient
 */
export function assertMayReceive(
  { simulatorDomain }: Pick<Config, 'simulatorDomain'>,
  workspace: Workspace,
  { to, cc, bcc }: SendRequest,
): void {
  if (!workspace.unverifiedOwner || isTest(workspace)) return;
  const own = addressKey(workspace.unverifiedOwner.email);
  for (const { address } of [...to, ...cc, ...bcc]) {
    if (addressKey(address) !== own && simulatorEndingOf(address, simulatorDomain) === null)
      throw new Refusal('account_not_verified', { action: 'send' });
  }
}
