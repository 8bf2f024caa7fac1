import type { Scope } from '../accounts/caller.js';
import { sessionExists } from '../accounts/session-store.js';
import type { Context } from '../context.js';
import { Refusal } from '../errors.js';
import { newId } from '../ids.js';
import { limits } from '../limits.js';
import { ensureTestWorkspace, type Mode } from '../workspaces/test-workspace.js';
import { lockWorkspace } from '../workspaces/workspace-store.js';
import { type ApiKey, countLiveKeys, insertKey } from './key-store.js';
import { makeKeyText } from './key-text.js';

/** The default mode is live. */
export type NewKey = { name: string; mode?: Mode; scopes: Scope[]; expiresAt: Date | null };

/**
 * @param sessionId the session that is creating the key, or null if there is none. It is checked again under the lock,
 *   so that a request whose session has ended since it was authenticated creates no key
 * @returns the key and its text, which is shown only once
 * @throws Refusal conflict if the workspace is at its key limit; unauthenticated if the session has ended
 */
export async function createKey(
  ctx: Pick<Context, 'db' | 'now'>,
  workspaceId: string,
  fields: NewKey,
  sessionId: string | null = null,
): Promise<{ key: ApiKey; text: string }> {
  const id = newId();
  const { mode = 'live' } = fields;
  const { text, secretHash, hint } = makeKeyText(id, mode);
  const key: ApiKey = { id, hint, ...fields, mode, createdAt: ctx.now(), revokedAt: null, lastUsedAt: null };
  await ctx.db.transaction(async (trx) => {
    await lockWorkspace(trx, workspaceId);
    if (sessionId !== null && !(await sessionExists(trx, sessionId))) throw new Refusal('unauthenticated');
    if ((await countLiveKeys(trx, workspaceId)) >= limits.keys.max) throw tooManyKeys();
    if (mode === 'test') await ensureTestWorkspace(trx, workspaceId, newId());
    await insertKey(trx, workspaceId, { ...key, secretHash });
  });
  return { key, text };
}

function tooManyKeys(): Refusal {
  return new Refusal('conflict', {
    reason: `The workspace has reached the limit of ${limits.keys.max} API keys. Revoke one that you no longer use.`,
  });
}
