import type { AuditTarget, Mode, Scope } from '@posthorn/contract';
import { hasSession } from '@posthorn/domain/accounts';
import { type Actor, type AuditedFields, recordChange } from '@posthorn/domain/audit-log';
import { assertOwnDomains } from '@posthorn/domain/domains';
import { Refusal, refuseOneMore } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { ensureTestWorkspace, lockWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { type ApiKey, countLiveKeys, insertKey, isKeyStored, markRevoked } from './key-store.js';
import { createKeyText } from './key-text.js';

type NewKey = {
  name: string;
  /** `live` by default. */
  mode?: Mode;
  scopes: Scope[];
  /** The only sending domains that the key may send from. By default, it may use any sender. */
  domainIds?: string[] | null;
  /** The only networks that the key may be used from, in CIDR notation. By default, it may be used from anywhere. */
  networks?: string[] | null;
  expiresAt: Date | null;
  /**
   * The session that is creating the key, if there is one. It is checked again under the lock, so that a request whose
   * session has ended since it was authenticated creates no key.
   */
  sessionId?: string;
};

/**
 * @returns the key and its text, which is shown only once
 * @throws Refusal conflict if the workspace is at its key limit; unauthenticated if the session has ended;
 *   validation_failed if a domain is not one of the workspace
 */
export async function createKey(
  ctx: Pick<Context, 'db' | 'now'>,
  actor: Actor,
  workspaceId: string,
  { sessionId, ...fields }: NewKey,
): Promise<{ key: ApiKey; text: string }> {
  const id = newId();
  const { mode = 'live', domainIds = null, networks = null } = fields;
  const { text, secretHash, hint } = createKeyText(id, mode);
  const state = { createdAt: ctx.now(), revokedAt: null, lastUsedAt: null };
  const key: ApiKey = { id, hint, ...fields, mode, domainIds, networks, ...state };
  await ctx.db.transaction(async (trx) => {
    await lockWorkspace(trx, workspaceId);
    if (sessionId !== undefined && !(await hasSession(trx, sessionId))) throw new Refusal('unauthenticated');
    if ((await countLiveKeys(trx, workspaceId)) >= limits.keys.max)
      throw refuseOneMore(limits.keys, 'API keys. Revoke one that you no longer use.');
    await assertOwnDomains(trx, workspaceId, domainIds);
    if (mode === 'test') await ensureTestWorkspace(trx, workspaceId, newId());
    await insertKey(trx, workspaceId, { ...key, secretHash });
    const target = keyTarget(key);
    await recordChange(trx, actor, {
      workspaceId,
      action: 'api_key.created',
      target,
      before: null,
      after: describeKey(key),
    });
  });
  return { key, text };
}

/**
 * Revokes a key. Revoking it again does not change its `revoked_at`.
 * @returns false if the workspace has no such key
 */
export async function revokeKey(
  ctx: Pick<Context, 'db' | 'now'>,
  actor: Actor,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<boolean> {
  const now = ctx.now();
  return ctx.db.transaction(async (trx) => {
    const name = await markRevoked(trx, { workspaceId, id }, now);
    if (name === null) return isKeyStored(trx, { workspaceId, id });
    await recordChange(trx, actor, {
      workspaceId,
      action: 'api_key.revoked',
      target: keyTarget({ id, name }),
      before: { revoked_at: null },
      after: { revoked_at: now.toISOString() },
    });
    return true;
  });
}

/** What the audit log says about a new key. */
function describeKey({ name, mode, hint, scopes, domainIds, networks, expiresAt }: ApiKey): AuditedFields {
  return { name, mode, hint, scopes, domain_ids: domainIds, networks, expires_at: expiresAt?.toISOString() };
}

function keyTarget({ id, name }: Pick<ApiKey, 'id' | 'name'>): AuditTarget {
  return { type: 'api_key', id, label: name };
}
