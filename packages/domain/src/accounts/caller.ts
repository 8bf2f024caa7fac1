import type { Role, Scope } from '@posthorn/contract';
import type { SendCaller } from '@posthorn/domain/accepting';
import { Refusal } from '@posthorn/domain/errors';
import type { Workspace } from '@posthorn/domain/workspaces';

/** The key or session that makes a request. */
export type Caller =
  | {
      readonly kind: 'key';
      readonly id: string;
      readonly name: string;
      readonly workspace: Workspace;
      readonly scopes: readonly Scope[];
      /** The sending domains that the key may send from; null for any sender. */
      readonly domainIds: readonly string[] | null;
      /** Whether the key may be used from an IP address; null if it may be used from anywhere. */
      readonly isAllowedFrom: ((ipAddress: string) => boolean) | null;
    }
  | SessionCaller;

export type SessionCaller = {
  readonly kind: 'session';
  readonly id: string;
  readonly workspace: Workspace;
  readonly user: {
    readonly id: string;
    readonly email: string;
    /** Whether the user has proved that the address is theirs. */
    readonly emailVerified: boolean;
    readonly role: Role;
  };
};

/**
 * The id of the API key or user whose rate limits a request counts against. All sessions of a user share the same
 * limits, so logging in again gains nothing.
 */
export function getRateLimitId(caller: Caller): string {
  return caller.kind === 'key' ? caller.id : caller.user.id;
}

export function toSendCaller(caller: Caller): SendCaller {
  const domainIds = caller.kind === 'key' ? caller.domainIds : null;
  return { id: getRateLimitId(caller), workspace: caller.workspace, domainIds };
}

/** A session may do everything. A key may do only what its scopes allow. */
export function mayUse(caller: Caller, scope: Scope): boolean {
  return caller.kind === 'session' || caller.scopes.includes(scope);
}

/** @throws Refusal account_not_verified if the caller's address is not verified */
export function assertVerified({ user }: SessionCaller): void {
  if (!user.emailVerified) throw new Refusal('account_not_verified', { action: 'invite' });
}
