import { hash } from 'node:crypto';
import { authenticateSession, type Caller, mayUse } from '@posthorn/domain/accounts';
import { authenticateKey, recallCaller } from '@posthorn/domain/api-keys';
import { Refusal } from '@posthorn/domain/errors';
import { assertBelowLimit, countInProcess, readWindow, type WindowLimit } from '@posthorn/domain/throttles';
import type { Request, Response } from 'express';
import type { ApiContext } from '../context/api-context.js';
import { findIpAddress, toClientAddress } from '../http/client-address.js';
import { findSessionToken } from '../http/cookies.js';
import type { Access } from '../routing/access.js';
import { findDomainIds } from '../routing/caller.js';
import type { Route } from '../routing/route.js';
import { countRequestByAddress } from './count-request.js';
import { PAUSE_WITHOUT_CREDENTIAL_MS } from './take-turn.js';

/** After this many failures in a minute, unknown credentials from the same IP address are refused without a lookup. */
export const credentialFailures: WindowLimit = {
  limit: 300,
  windowSeconds: 60,
  what: 'failed authentication attempts',
};

const MAX_KNOWN_CREDENTIALS = 10_000;

/**
 * Finds the caller of a request. A public route needs no credential. If there is an Authorization header, the cookie is
 * ignored, even if the header is invalid. A request without a valid credential counts against the limit of its IP
 * address.
 */
export function buildAuthenticator(
  ctx: ApiContext,
  { access }: Route,
): (request: Request, response: Response) => Promise<Caller | null> {
  if (access === 'public') return async () => null;
  return async (request, response) => {
    const caller = recall(ctx, request, response) ?? (await identify(ctx, request, response));
    if (!caller) throw buildUnauthenticated(access);
    return caller;
  };
}

/** The usual spelling. `readCredential` knows the others. */
const SCHEME = 'Bearer ';

/**
 * Most requests come with a key that this process checked a moment ago.
 * @throws Refusal network_not_allowed, rate_limited
 */
function recall(ctx: ApiContext, request: Request, response: Response): Caller | null {
  const { authorization } = request.headers;
  if (!authorization?.startsWith(SCHEME)) return null;
  const caller = recallCaller(ctx, authorization.slice(SCHEME.length));
  if (caller !== null) assertAllowedNetwork(ctx, caller, request, response);
  return caller;
}

async function identify(ctx: ApiContext, request: Request, response: Response): Promise<Caller | null> {
  const credential = readCredential(ctx, request);
  if (credential === null) {
    countRequestByAddress(ctx, request, response);
    return null;
  }
  const isKnown = isKnownCredential(ctx, credential.text);
  if (!isKnown) assertBelowLimit(ctx, credentialFailures, toClientAddress(request));
  const caller = isKnown ? await credential.check() : await checkUnknown(ctx, request, credential);
  if (!caller) {
    ctx.credentials.known.delete(toDigest(credential.text));
    countFailure(ctx, request, response);
    return null;
  }
  if (!isKnown) rememberCredential(ctx, credential.text);
  assertAllowedNetwork(ctx, caller, request, response);
  return caller;
}

function countFailure(ctx: ApiContext, request: Request, response: Response): void {
  countInProcess(ctx, credentialFailures, toClientAddress(request));
  response.locals.rate = readWindow(ctx, credentialFailures, toClientAddress(request));
}

/**
 * A request from outside counts against the limit of its IP address, so a leaked key can use up neither its own limit
 * nor what its owner has.
 * @throws Refusal network_not_allowed, rate_limited
 */
function assertAllowedNetwork(ctx: ApiContext, caller: Caller, request: Request, response: Response): void {
  if (caller.kind !== 'key' || caller.isAllowedFrom === null) return;
  const address = findIpAddress(request);
  if (address !== null && caller.isAllowedFrom(address)) return;
  assertBelowLimit(ctx, credentialFailures, toClientAddress(request));
  countFailure(ctx, request, response);
  throw new Refusal('network_not_allowed', { address: address ?? 'an unknown address' });
}

/** Checks at most two credentials at a time per IP address, so that guesses leave Postgres connections for others. */
async function checkUnknown(ctx: ApiContext, request: Request, credential: Credential): Promise<Caller | null> {
  const turn = await ctx.turns.credentials.begin(toClientAddress(request));
  let caller: Caller | null = null;
  try {
    caller = await credential.check();
    return caller;
  } finally {
    turn.end(caller === null ? PAUSE_WITHOUT_CREDENTIAL_MS : 0);
  }
}

type Credential = { readonly text: string; readonly check: () => Promise<Caller | null> };

function readCredential(ctx: ApiContext, request: Request): Credential | null {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const key = /^bearer +([^\s]+) *$/i.exec(authorization)?.[1];
    return { text: authorization, check: async () => (key === undefined ? null : authenticateKey(ctx, key)) };
  }
  const token = findSessionToken(ctx, request);
  return token === null ? null : { text: token, check: () => authenticateSession(ctx, token) };
}

/**
 * Checks that a route is open to the caller. Call this after counting the request, so that refused requests count too.
 * @throws Refusal unauthenticated, missing_scope, domain_not_allowed or owner_required
 */
export function assertAccess(caller: Caller, { access, keepsToDomains = false, ownersOnly = false }: Route): void {
  switch (access) {
    case 'public':
    case 'any':
      break;
    case 'session':
      if (caller.kind !== 'session') throw buildUnauthenticated(access);
      break;
    case 'owner':
      if (caller.kind !== 'session') throw buildUnauthenticated(access);
      assertOwner(caller);
      break;
    default:
      if (!access.some((scope) => mayUse(caller, scope))) throw new Refusal('missing_scope', { scopes: access });
      if (!keepsToDomains && findDomainIds(caller) !== null)
        throw new Refusal('domain_not_allowed', { isAboutAllDomains: true });
  }
  if (ownersOnly) assertOwner(caller);
}

function buildUnauthenticated(access: Access): Refusal {
  return new Refusal('unauthenticated', { sessionOnly: access === 'session' || access === 'owner' });
}

/** Only sessions have a role. What a key can do depends only on its scopes. */
function assertOwner(caller: Caller): void {
  if (caller.kind === 'session' && caller.user.role !== 'owner') throw new Refusal('owner_required');
}

function isKnownCredential({ credentials }: ApiContext, credential: string): boolean {
  return credentials.known.has(toDigest(credential));
}

/** A client that sends a known credential is not guessing, even if another client at the same address is. */
function rememberCredential({ credentials: { known } }: ApiContext, credential: string): void {
  known.add(toDigest(credential));
  // A Set keeps insertion order.
  const [oldest] = known;
  if (known.size > MAX_KNOWN_CREDENTIALS) known.delete(oldest as string);
}

function toDigest(credential: string): string {
  return hash('sha256', credential, 'base64');
}
