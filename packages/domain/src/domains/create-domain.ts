import { randomBytes } from 'node:crypto';
import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { conflict, invalid, type Refusal, refuseOneMore } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { lockWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import type { Config } from '@posthorn/platform/config';
import { toDomainName } from '@posthorn/platform/network';
import { newId } from '@posthorn/platform/values';
import { countDomains, insertDomain } from './domain-store.js';
import { isPublicSuffix } from './public-suffix.js';
import { type SendingDomain, toDomainTarget } from './sending-domain.js';
import { computeNextCheckAt } from './verification-rules.js';

const TOKEN_BYTES = 16;

/**
 * Adds a domain. Several workspaces may add the same name; the first one to verify it may send from it.
 * @throws Refusal validation_failed; conflict when this workspace already has the domain or is at its limit
 */
export async function createDomain(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  actor: Actor,
  workspaceId: string,
  text: string,
): Promise<SendingDomain> {
  const typed = toDomainName(text);
  if ('fault' in typed) throw invalidName(typed.fault);
  assertUsable(typed.name, ctx.config);
  const now = ctx.now();
  const domain: SendingDomain = {
    id: newId(),
    workspaceId,
    name: typed.name,
    status: 'pending',
    ownershipToken: randomBytes(TOKEN_BYTES).toString('hex'),
    createdAt: now,
    verifiedAt: null,
    checkedAt: null,
    findings: {},
    trackOpens: false,
    trackClicks: false,
    hasTrackingHost: false,
  };
  const waiting = { status: domain.status, statusSince: now, verifiedByOperator: false };
  const firstCheck = computeNextCheckAt(waiting, { pendingKeySince: null, result: 'unknown', now });
  return ctx.db.transaction(async (trx) => {
    await lockWorkspace(trx, workspaceId);
    if ((await countDomains(trx, workspaceId)) >= limits.domains.max)
      throw refuseOneMore(limits.domains, 'domains. Delete one that you no longer use.');
    if (!(await insertDomain(trx, domain, firstCheck))) throw alreadyAdded(typed.name);
    const { name, status } = domain;
    const target = toDomainTarget(domain);
    await recordChange(trx, actor, {
      workspaceId,
      action: 'domain.created',
      target,
      before: null,
      after: { name, status },
    });
    return domain;
  });
}

/**
 * The name must be short enough for its return path. It must not be a public suffix, because the names below one belong
 * to many owners. It must not be the platform domain, nor a parent or subdomain of it, because the workspace could then
 * send as any other workspace. The simulator's domain is not a real one.
 */
function assertUsable(
  name: string,
  { platformSenderDomain: platformDomain, simulatorDomain }: Pick<Config, 'platformSenderDomain' | 'simulatorDomain'>,
): void {
  const { max } = limits.domainName;
  if (name.length > max) {
    throw invalidName(
      `has ${name.length} characters; the limit is ${max}, so that the bounce address on this domain is not too long. Use a shorter domain`,
    );
  }
  if (isPublicSuffix(name)) {
    throw invalidName(
      `is a public suffix, under which anyone can register names. Use your own domain, such as example.${name}`,
    );
  }
  const isRelated = `.${name}`.endsWith(`.${platformDomain}`) || `.${platformDomain}`.endsWith(`.${name}`);
  if (isRelated) {
    throw invalidName(`overlaps with the platform domain ${platformDomain}. Use your own domain`);
  }
  if (`.${name}`.endsWith(`.${simulatorDomain}`)) {
    throw invalidName(`is reserved for the simulator at ${simulatorDomain}. Use your own domain`);
  }
}

function invalidName(message: string): Refusal {
  return invalid({ field: 'name', message });
}

function alreadyAdded(name: string): Refusal {
  return conflict(`The workspace already has the domain ${name}. Use that one.`);
}
