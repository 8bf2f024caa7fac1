import { type Caller, mayUse, Refusal } from '@posthorn/domain';
import type { Request, RequestHandler } from 'express';
import { readSessionToken } from '../accounts/session-cookie.js';
import type { ApiContext } from '../context.js';
import type { Access, Route } from '../route.js';

/**
 * Finds out who calls and whether this route is open to them, into `response.locals.caller`.
 * An Authorization header wins: with it the cookie is not looked at, not even when it fails.
 */
export function authenticate(ctx: ApiContext, { access, ownersOnly = false }: Route): RequestHandler {
  if (access === 'public') return (_request, _response, next) => next();
  return async (request, response, next) => {
    const caller = await identify(ctx, request);
    if (!caller) throw new Refusal('unauthenticated');
    assertAccess(caller, access);
    if (ownersOnly) assertOwner(caller);
    response.locals.caller = caller;
    next();
  };
}

async function identify(ctx: ApiContext, request: Request): Promise<Caller | null> {
  const credential = credentialOf(ctx, request);
  if (credential === null) return null;
  const address = request.ip ?? 'unknown';
  ctx.credentialFailures.assertOpen(address);
  const caller = await credential();
  if (!caller) ctx.credentialFailures.count(address);
  return caller;
}

function credentialOf(ctx: ApiContext, request: Request): (() => Promise<Caller | null>) | null {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const key = /^bearer +([^\s]+) *$/i.exec(authorization)?.[1];
    return async () => (key === undefined ? null : ctx.authenticateKey(key));
  }
  const token = readSessionToken(ctx, request);
  return token === null ? null : () => ctx.authenticateSession(token);
}

function assertAccess(caller: Caller, access: Exclude<Access, 'public'>): void {
  switch (access) {
    case 'any':
      return;
    case 'session':
      if (caller.kind !== 'session') throw new Refusal('unauthenticated');
      return;
    case 'owner':
      if (caller.kind !== 'session') throw new Refusal('unauthenticated');
      assertOwner(caller);
      return;
    default:
      if (!mayUse(caller, access)) throw new Refusal('missing_scope', { scope: access });
  }
}

/** A key has no role: what it may do, its scopes say. */
function assertOwner(caller: Caller): void {
  if (caller.kind === 'session' && caller.user.role !== 'owner') throw new Refusal('owner_required');
}
