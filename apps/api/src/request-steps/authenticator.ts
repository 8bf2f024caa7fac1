import { type Caller, mayUse, Refusal } from '@posthorn/domain';
import type { Request } from 'express';
import type { Access } from '../access.js';
import { readSessionToken } from '../accounts/session-cookie.js';
import { clientAddressOf } from '../client-address.js';
import type { ApiContext } from '../context.js';
import type { Route } from '../route.js';
import { countRequestByAddress } from './count-request-by-address.js';

/**
 * Finds the caller of a request and checks that the route is open to them. A public route needs no credential.
 * With an Authorization header the cookie is ignored, even if the header is invalid.
 */
export function authenticator(
  ctx: ApiContext,
  { access, ownersOnly = false }: Route,
): (request: Request) => Promise<Caller | null> {
  if (access === 'public') return async () => null;
  return async (request) => {
    const caller = await identify(ctx, request);
    if (!caller) throw unauthenticated(access);
    assertAccess(caller, access);
    if (ownersOnly) assertOwner(caller);
    return caller;
  };
}

async function identify(ctx: ApiContext, request: Request): Promise<Caller | null> {
  const credential = credentialOf(ctx, request);
  if (credential === null) {
    countRequestByAddress(ctx, request);
    return null;
  }
  const isKnown = ctx.knownCredentials.has(credential.text);
  if (!isKnown) ctx.credentialFailures.assertBelowLimit(clientAddressOf(request));
  const caller = isKnown ? await credential.check() : await checkUnknown(ctx, request, credential);
  if (!caller) {
    ctx.knownCredentials.delete(credential.text);
    ctx.credentialFailures.count(clientAddressOf(request));
  } else if (!isKnown) ctx.knownCredentials.add(credential.text);
  return caller;
}

/** Checks two at a time per IP address, so that guesses do not take all connections to Postgres. */
async function checkUnknown(ctx: ApiContext, request: Request, credential: Credential): Promise<Caller | null> {
  const turn = await ctx.credentialTurns.begin(clientAddressOf(request));
  try {
    return await credential.check();
  } finally {
    turn.end();
  }
}

type Credential = { readonly text: string; readonly check: () => Promise<Caller | null> };

function credentialOf(ctx: ApiContext, request: Request): Credential | null {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const key = /^bearer +([^\s]+) *$/i.exec(authorization)?.[1];
    return { text: authorization, check: async () => (key === undefined ? null : ctx.authenticateKey(key)) };
  }
  const token = readSessionToken(ctx, request);
  return token === null ? null : { text: token, check: () => ctx.authenticateSession(token) };
}

function assertAccess(caller: Caller, access: Exclude<Access, 'public'>): void {
  switch (access) {
    case 'any':
      return;
    case 'session':
      if (caller.kind !== 'session') throw unauthenticated(access);
      return;
    case 'owner':
      if (caller.kind !== 'session') throw unauthenticated(access);
      assertOwner(caller);
      return;
    default:
      if (!access.some((scope) => mayUse(caller, scope))) throw new Refusal('missing_scope', { scopes: access });
  }
}

function unauthenticated(access: Access): Refusal {
  return new Refusal('unauthenticated', { sessionOnly: access === 'session' || access === 'owner' });
}

/** Only sessions have a role. What a key can do depends on its scopes alone. */
function assertOwner(caller: Caller): void {
  if (caller.kind === 'session' && caller.user.role !== 'owner') throw new Refusal('owner_required');
}
