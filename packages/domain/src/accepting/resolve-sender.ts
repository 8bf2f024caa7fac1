import { type Address, hostOf } from '../addresses/address.js';
import type { Context } from '../context.js';
import { invalid, Refusal } from '../errors.js';
import { isId } from '../ids.js';
import { findDomain } from '../sending-domains/domain/domain-store.js';
import type { FindSenderDomain } from '../sending-domains/domain/find-sender-domain.js';
import { platformAddress } from '../workspaces/platform-address.js';
import type { Workspace } from '../workspaces/workspace.js';

export type RequestedSender = { readonly from: Address | null; readonly domainId: string | null };

/** `domainId` is null when the platform sender is used. */
export type Sender = { readonly from: Address; readonly domainId: string | null };

/**
 * The sender of an email. On its own verified domain, a workspace may use any address and name. Without
 * `from_`, or as long as it has no verified domain, its platform sender is used.
 * @throws Refusal sender_not_verified, domain_not_found, validation_failed
 */
export async function resolveSender(
  ctx: Pick<Context, 'config' | 'db'> & { readonly findSenderDomain: FindSenderDomain },
  workspace: Pick<Workspace, 'id' | 'slug'>,
  { from, domainId }: RequestedSender,
): Promise<Sender> {
  if (from === null) {
    if (domainId === null) return platformSender(ctx, workspace);
    throw invalid({
      field: 'domain_id',
      message: 'requires a from_ address at that domain. Add from_ or omit domain_id',
    });
  }
  const host = hostOf(from.address);
  const { domain, hasVerified } = await ctx.findSenderDomain({ workspaceId: workspace.id, host });
  if (domainId !== null && domainId !== domain?.id) throw await refuseDomainId(ctx, workspace.id, { domainId, host });
  if (domain?.status === 'verified') return { from, domainId: domain.id };
  // With a domain_id, the email must come from that domain, so the platform sender is not used instead.
  if (hasVerified || domainId !== null) throw new Refusal('sender_not_verified', { domain: host });
  return platformSender(ctx, workspace);
}

/** The refusal that says why `domain_id` cannot be used with the domain at `host`. */
async function refuseDomainId(
  { db }: Pick<Context, 'db'>,
  workspaceId: string,
  { domainId, host }: { domainId: string; host: string },
): Promise<Refusal> {
  const domain = isId(domainId) ? await findDomain(db, workspaceId, domainId) : null;
  if (!domain) return new Refusal('domain_not_found');
  if (domain.status !== 'verified') return new Refusal('sender_not_verified', { domain: domain.name });
  return invalid({
    field: 'domain_id',
    message: `belongs to ${domain.name}, but the domain of from_ is ${host}. Make them match`,
  });
}

/**
 * The platform sender has no display name, because a workspace could use one to pose as another workspace on the shared
 * domain.
 */
function platformSender(ctx: Pick<Context, 'config'>, workspace: Pick<Workspace, 'slug'>): Sender {
  return { from: { name: null, address: platformAddress(ctx, workspace) }, domainId: null };
}
