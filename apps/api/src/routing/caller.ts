import type { Caller, SessionCaller } from '@posthorn/domain/accounts';
import type { Actor } from '@posthorn/domain/audit-log';
import { invalid, Refusal } from '@posthorn/domain/errors';
import { isTest, type Mode, modeOf, testWorkspaceOf, type Workspace } from '@posthorn/domain/workspaces';
import { findIpAddress } from '../http/client-address.js';
import type { RouteRequest } from './route.js';

/** The session of a caller, on a route that only sessions can call. */
export function assertSession(caller: Caller): SessionCaller {
  if (caller.kind !== 'session') throw new Refusal('unauthenticated', { sessionOnly: true });
  return caller;
}

/**
 * The caller's workspace for live mail or for test mail. Without a mode, it is that of the key, or for live mail.
 * @returns null if nothing of that mode exists
 * @throws Refusal validation_failed if a key asks for the other mode
 */
export function findWorkspaceOfMode({ kind, workspace }: Caller, mode: Mode | undefined): Workspace | null {
  if (kind === 'session') return mode === 'test' ? testWorkspaceOf(workspace) : workspace;
  const own = modeOf(workspace);
  if (mode === undefined || mode === own) return workspace;
  const message = `is ${mode}, but this is a ${own} key. Use a ${mode} key, or leave it out`;
  throw invalid({ field: 'mode', message });
}

/**
 * Keeps test keys away from what is about live mail.
 * @param what its name in the error
 * @returns the id of the live workspace
 * @throws Refusal missing_scope
 */
export function requireLiveMail({ workspace }: Caller, what: 'suppressions' | 'deliverability'): string {
  if (isTest(workspace)) throw new Refusal('missing_scope', { liveMailOnly: what });
  return workspace.id;
}

/** The user or API key that makes a request, as the audit log names it. */
export function toActor({ caller, request }: Pick<RouteRequest, 'caller' | 'request'>): Actor {
  const ip = findIpAddress(request);
  if (caller.kind === 'key') return { type: 'api_key', id: caller.id, label: caller.name, ip };
  return { type: 'user', id: caller.user.id, label: caller.user.email, ip };
}
