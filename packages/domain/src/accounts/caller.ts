import type { Workspace } from '../workspaces/workspace.js';

/** What an API key may be allowed; a session may do all of it. */
export const scopes = ['emails:send', 'templates:write', 'emails:read', 'domains:write', 'webhooks:write'] as const;

export type Scope = (typeof scopes)[number];

export type Role = 'owner' | 'member';
/** Who makes a request. `id` is the key's or the session's: rate limits are counted on it. */
export type Caller =
  | { readonly kind: 'key'; readonly id: string; readonly workspace: Workspace; readonly scopes: readonly Scope[] }
  | SessionCaller;

export type SessionCaller = {
  readonly kind: 'session';
  readonly id: string;
  readonly workspace: Workspace;
  readonly user: { readonly id: string; readonly email: string; readonly role: Role };
};

/** A session may do everything, a key what its scopes say. */
export function mayUse(caller: Caller, scope: Scope): boolean {
  return caller.kind === 'session' || caller.scopes.includes(scope);
}
