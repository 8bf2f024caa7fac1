import type { Mode } from '@posthorn/contract';
import type { Caller, SessionCaller } from '@posthorn/domain/accounts';
import type { Actor } from '@posthorn/domain/audit-log';
import { findEmailSummary, listIdsFromDomains } from '@posthorn/domain/emails';
import { invalid, Refusal } from '@posthorn/domain/errors';
import { getMode, isTest, toTestWorkspace, type Workspace } from '@posthorn/domain/workspaces';
import { isId } from '@posthorn/platform/values';
import type { ApiContext } from '../context/api-context.js';
import { findIpAddress } from '../http/client-address.js';
import type { RouteRequest } from './route.js';

/** The sending domains that the caller is restricted to; null if there is no restriction. */
export function findDomainIds(caller: Caller): readonly string[] | null {
  return caller.kind === 'key' ? caller.domainIds : null;
}

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
  if (kind === 'session') return mode === 'test' ? toTestWorkspace(workspace) : workspace;
  const own = getMode(workspace);
  if (mode === undefined || mode === own) return workspace;
  const message = `is ${mode}, but this is a ${own} key. Use a ${mode} key, or leave it out`;
  throw invalid({ field: 'mode', message });
}

/**
 * The workspace that has the email with this id. A key finds only mail of its own mode; a session finds both.
 * @throws Refusal not_found if the id is malformed, or if the email is from a domain that the key may not use
 */
export async function getWorkspaceWithEmail(
  ctx: ApiContext,
  caller: Caller,
  id: string | undefined,
): Promise<{ readonly workspace: Workspace; readonly id: string }> {
  if (id === undefined || !isId(id)) throw new Refusal('not_found', { what: 'email' });
  const { kind, workspace } = caller;
  const domainIds = findDomainIds(caller);
  if (domainIds !== null && (await listIdsFromDomains(ctx.db, workspace.id, { ids: [id], domainIds })).length === 0)
    throw new Refusal('not_found', { what: 'email' });
  const test = kind === 'session' ? toTestWorkspace(workspace) : null;
  const isTestMail = test !== null && (await findEmailSummary(ctx.db, test.id, id)) !== null;
  return { workspace: isTestMail ? test : workspace, id };
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
