import { randomBytes } from 'node:crypto';
import { toDomainName } from '../addresses/domain-name.js';
import type { Context } from '../context.js';
import { invalid, Refusal } from '../errors.js';
import { newId } from '../ids.js';
import { limits } from '../limits.js';
import { lockWorkspace } from '../workspaces/workspace-store.js';
import { nextCheckAt } from './checks/check-schedule.js';
import { countDomains, insertDomain } from './domain/domain-store.js';
import { isPublicSuffix } from './domain/public-suffix.js';
import type { SendingDomain } from './domain/sending-domain.js';

const TOKEN_BYTES = 16;

/**
 * Claims a name, which proves nothing yet: other workspaces may claim it too until one verifies it.
 * @throws Refusal validation_failed, or conflict when this workspace has it already or has as many as it may
 */
export async function createDomain(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  workspaceId: string,
  text: string,
): Promise<SendingDomain> {
  const typed = toDomainName(text);
  if ('fault' in typed) throw invalid({ field: 'name', message: typed.fault });
  assertUsable(typed.name, ctx.config.platformSenderDomain);
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
  };
  const waiting = { status: domain.status, statusSince: now, verifiedByOperator: false };
  const firstCheck = nextCheckAt(waiting, { pendingKeySince: null, result: 'unknown', now });
  return ctx.db.transaction(async (trx) => {
    await lockWorkspace(trx, workspaceId);
    if ((await countDomains(trx, workspaceId)) >= limits.domains.max) throw tooMany();
    if (await insertDomain(trx, domain, firstCheck)) return domain;
    throw new Refusal('conflict', { reason: `The workspace has the domain ${typed.name} already; use that one.` });
  });
}

/**
 * The name must leave room for its return path. Who owned a public suffix could claim what belongs to all below it; who owned the platform's domain,
 * one above it or one below it could send as every workspace.
 */
function assertUsable(name: string, platformDomain: string): void {
  const { max } = limits.domainName;
  if (name.length > max) {
    throw invalid({
      field: 'name',
      message: `has ${name.length} characters, the most is ${max}, for the address that takes its bounces is longer still`,
    });
  }
  if (isPublicSuffix(name)) {
    throw invalid({
      field: 'name',
      message: `is a public suffix, below which anybody may register names; use a domain of your own, such as example.${name}`,
    });
  }
  const isRelated = `.${name}`.endsWith(`.${platformDomain}`) || `.${platformDomain}`.endsWith(`.${name}`);
  if (isRelated) {
    throw invalid({
      field: 'name',
      message: `belongs to the platform domain ${platformDomain}; use a domain of your own`,
    });
  }
}

function tooMany(): Refusal {
  return new Refusal('conflict', {
    reason: `The workspace has ${limits.domains.max} domains, the most it may have; delete one that is no longer used.`,
  });
}
