import type { Context } from '../context.js';
import { invalid, Refusal } from '../errors.js';
import { newId } from '../ids.js';
import { toDomainName } from './domain-name.js';
import { insertDomain, type SendingDomain } from './store.js';

/**
 * Claims a name, which proves nothing yet: other workspaces may claim it too until one verifies it.
 * @throws Refusal validation_failed, or conflict when this workspace has it already
 */
export async function createDomain(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  workspaceId: string,
  text: string,
): Promise<SendingDomain> {
  const typed = toDomainName(text);
  if ('fault' in typed) throw invalid({ field: 'name', message: typed.fault });
  assertNotPlatform(typed.name, ctx.config.platformSenderDomain);
  const domain: SendingDomain = {
    id: newId(),
    workspaceId,
    name: typed.name,
    status: 'pending',
    createdAt: ctx.now(),
    verifiedAt: null,
  };
  if (await insertDomain(ctx.db, domain)) return domain;
  throw new Refusal('conflict', { reason: `The workspace has the domain ${typed.name} already; use that one.` });
}

/** Who owned the platform's domain, one above it or one below it could send as every workspace. */
function assertNotPlatform(name: string, platformDomain: string): void {
  const isRelated = `.${name}`.endsWith(`.${platformDomain}`) || `.${platformDomain}`.endsWith(`.${name}`);
  if (isRelated)
    throw invalid({
      field: 'name',
      message: `belongs to the platform domain ${platformDomain}; use a domain of your own`,
    });
}
