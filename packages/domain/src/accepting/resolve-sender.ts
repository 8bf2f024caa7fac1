import type { SenderReason } from '@posthorn/contract';
import { type FindSenderDomain, findDomain, toTrackingHost } from '@posthorn/domain/domains';
import { invalid, Refusal } from '@posthorn/domain/errors';
import { type Address, toHost } from '@posthorn/domain/format';
import type { DomainTracking } from '@posthorn/domain/links';
import { toPlatformAddress, type Workspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { isId } from '@posthorn/platform/values';
import type { SendCaller } from './send-request.js';

type RequestedSender = { readonly from: Address | null; readonly domainId: string | null };

type SenderContext = Pick<Context, 'config' | 'db'> & { readonly findSenderDomain: FindSenderDomain };

type SenderCaller = Pick<SendCaller, 'domainIds'> & { readonly workspace: Pick<Workspace, 'liveId' | 'slug'> };

export type Sender = {
  readonly from: Address;
  /** null when the platform sender is used. */
  readonly domainId: string | null;
  readonly reason: SenderReason;
  /** What the domain tracks; null when the platform sender is used. */
  readonly tracks: DomainTracking | null;
};

/**
 * The sender of an email. On its own verified domain, a workspace may use any address and name. If `from_` is missing,
 * or the workspace has no verified domain yet, its platform sender is used.
 * @param caller its `domainIds` may leave only some of these senders, and never the platform sender
 * @throws Refusal sender_not_verified, domain_not_found, validation_failed, domain_not_allowed
 */
export async function resolveSender(
  ctx: SenderContext,
  { workspace, domainIds }: SenderCaller,
  requested: RequestedSender,
): Promise<Sender> {
  const sender = await findSender(ctx, workspace, requested);
  const { from, domainId } = sender;
  if (domainIds === null || (domainId !== null && domainIds.includes(domainId))) return sender;
  throw new Refusal('domain_not_allowed', { domain: toHost(from.address) });
}

async function findSender(
  ctx: SenderContext,
  workspace: SenderCaller['workspace'],
  { from, domainId }: RequestedSender,
): Promise<Sender> {
  if (from === null) {
    if (domainId === null) return platformSender(ctx, workspace, 'no_sender_requested');
    throw invalid({ field: 'domain_id', message: 'requires from_ at that domain. Add from_ or omit domain_id' });
  }
  const host = toHost(from.address);
  const { domain, hasVerified } = await ctx.findSenderDomain({ workspaceId: workspace.liveId, host });
  if (domainId !== null && domainId !== domain?.id)
    throw await refuseDomainId(ctx, workspace.liveId, { domainId, host });
  if (domain?.status === 'verified') {
    const tracks = {
      opens: domain.trackOpens,
      clicks: domain.trackClicks,
      host: domain.hasTrackingHost ? toTrackingHost(host) : null,
    };
    return { from, domainId: domain.id, reason: 'verified_domain', tracks };
  }
  // With a domain_id, the email must come from that domain, so the platform sender does not replace it.
  if (hasVerified || domainId !== null) throw new Refusal('sender_not_verified', { domain: host });
  return platformSender(ctx, workspace, 'no_verified_domain');
}

/** The reason for refusing a `domain_id` that is not the domain at `host`. */
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

/** It has no display name, because with one, a workspace could pose as another one on the shared domain. */
function platformSender(
  ctx: Pick<Context, 'config'>,
  workspace: Pick<Workspace, 'slug'>,
  reason: SenderReason,
): Sender {
  return { from: { name: null, address: toPlatformAddress(ctx, workspace) }, domainId: null, reason, tracks: null };
}
