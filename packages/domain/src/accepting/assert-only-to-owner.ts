import { addressKey } from '../addresses/address.js';
import { Refusal } from '../errors.js';
import type { UnverifiedOwner } from '../workspaces/workspace.js';
import type { SendRequest } from './send-request.js';

/** @throws Refusal account_not_verified if any recipient is not the owner */
export function assertOnlyToOwner({ email }: UnverifiedOwner, { to, cc, bcc }: SendRequest): void {
  const own = addressKey(email);
  for (const { address } of [...to, ...cc, ...bcc]) {
    if (addressKey(address) !== own) throw new Refusal('account_not_verified', { action: 'send' });
  }
}
