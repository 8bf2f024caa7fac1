import type { RecipientKind, SuppressionReason } from '@posthorn/contract';
import { type FieldFault, invalid, Refusal } from '@posthorn/domain/errors';
import { findSimulatorEnding, simulatorEndings, toAddressKey } from '@posthorn/domain/format';
import { isTest, type Workspace } from '@posthorn/domain/workspaces';
import type { Config } from '@posthorn/platform/config';
import type { AcceptContext } from './accept-context.js';
import { type SendRequest, toGivenPosition } from './send-request.js';

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
  const own = toAddressKey(workspace.unverifiedOwner.email);
  for (const { address } of [...to, ...cc, ...bcc]) {
    if (toAddressKey(address) !== own && findSimulatorEnding(address, simulatorDomain) === null)
      throw new Refusal('account_not_verified', { action: 'send' });
  }
}

const KINDS: readonly RecipientKind[] = ['to', 'cc', 'bcc'];

/** What the simulator does with the recipients of an email. */
type Simulated = {
  /** Whether any recipient is an address of the simulator. */
  readonly any: boolean;
  /** The recipients that the simulator treats as suppressed. */
  readonly suppressed: readonly string[];
};

/**
 * @param domain SIMULATOR_DOMAIN
 * @throws Refusal validation_failed for an address that the simulator does not have
 */
export function findSimulated(request: SendRequest, domain: string): Simulated {
  let any = false;
  const suppressed: string[] = [];
  for (const kind of KINDS) {
    for (const [index, { address }] of request[kind].entries()) {
      const ending = findSimulatorEnding(address, domain);
      if (ending === 'unknown') {
        const field = `${kind}[${toGivenPosition(kind, index, request.duplicates)}]`;
        throw unknownAddress(field, address, domain);
      }
      if (ending === 'suppressed') suppressed.push(address);
      any ||= ending !== null;
    }
  }
  return { any, suppressed };
}

function unknownAddress(field: FieldFault['field'], address: string, domain: string): Error {
  const known = simulatorEndings.map((ending) => `${ending}@`).join(', ');
  return invalid({ field, message: `is ${address}, but the simulator at ${domain} only has ${known}` });
}

/** Why a recipient will not get an email. `simulated` is for the simulator's suppressed address. */
export type RecipientSuppression = SuppressionReason | 'simulated';

/**
 * The recipients that are suppressed now, each with the reason. This is only for warnings: the worker looks again right
 * before it sends. Test mail reaches nobody, so only the simulator suppresses its recipients.
 */
export async function listSuppressedRecipients(
  { findSuppressed }: Pick<AcceptContext, 'findSuppressed'>,
  workspace: Workspace,
  { to, cc, bcc, topic }: SendRequest,
  simulated: Simulated,
): Promise<ReadonlyMap<string, RecipientSuppression>> {
  const reasons = new Map<string, RecipientSuppression>();
  if (workspace.hasSuppressions && !isTest(workspace)) {
    const addresses = [...to, ...cc, ...bcc].map(({ address }) => address);
    const found = await findSuppressed({ workspaceId: workspace.id, topic: topic ?? null, addresses });
    for (const [address, { reason }] of found) reasons.set(address, reason);
  }
  for (const address of simulated.suppressed) reasons.set(address, 'simulated');
  return reasons;
}
