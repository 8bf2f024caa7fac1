import {
  type Context,
  closeContext,
  keyAuthenticator,
  limits,
  localLimiter,
  openAcceptContext,
  openInvitationThrottle,
  openLoginThrottle,
  sessionAuthenticator,
} from '@posthorn/domain';
import type { ApiContext } from './context.js';
import { createMetrics } from './metrics.js';
import { knownCredentials } from './middleware/known-credentials.js';

/** Failed credentials one address may send in a minute before it is turned away unread. */
const CREDENTIAL_FAILURES_PER_MINUTE = 300;

export function openApi(ctx: Context): ApiContext {
  return {
    ...ctx,
    authenticateKey: keyAuthenticator(ctx),
    authenticateSession: sessionAuthenticator(ctx),
    credentialFailures: localLimiter({
      limit: CREDENTIAL_FAILURES_PER_MINUTE,
      windowSeconds: 60,
      what: 'failed authentication attempts',
    }),
    knownCredentials: knownCredentials(),
    loginThrottle: openLoginThrottle(ctx),
    invitationThrottle: openInvitationThrottle(ctx),
    domainRequests: localLimiter({
      limit: limits.domainRequests.max,
      windowSeconds: 60,
      what: 'domain requests',
    }),
    accepting: openAcceptContext(ctx),
    metrics: createMetrics(),
  };
}

/** Requests in hand must be done: this takes the connections from under them. */
export async function closeApi(ctx: ApiContext): Promise<void> {
  await ctx.accepting.close();
  await closeContext(ctx);
}
