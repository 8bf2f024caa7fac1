import {
  type Context,
  closeContext,
  keyAuthenticator,
  limits,
  localLimiter,
  openAcceptContext,
  openInvitationLimiter,
  openLoginLimiter,
  sessionAuthenticator,
} from '@posthorn/domain';
import type { ApiContext } from './context.js';
import { createMetrics } from './metrics.js';
import { knownCredentials } from './middleware/known-credentials.js';
import { securityHeadersOf } from './middleware/security-headers.js';

/** After this many failures in a minute, credentials from an address are refused without a lookup. */
const MAX_CREDENTIAL_FAILURES_PER_MINUTE = 300;

export function openApiContext(ctx: Context): ApiContext {
  return {
    ...ctx,
    authenticateKey: keyAuthenticator(ctx),
    authenticateSession: sessionAuthenticator(ctx),
    credentialFailures: localLimiter({
      limit: MAX_CREDENTIAL_FAILURES_PER_MINUTE,
      windowSeconds: 60,
      what: 'failed authentication attempts',
    }),
    knownCredentials: knownCredentials(),
    loginLimiter: openLoginLimiter(ctx),
    invitationLimiter: openInvitationLimiter(ctx),
    domainRequests: localLimiter({
      limit: limits.domainRequests.max,
      windowSeconds: 60,
      what: 'domain requests',
    }),
    accepting: openAcceptContext(ctx),
    metrics: createMetrics(),
    securityHeaders: securityHeadersOf(ctx.config),
  };
}

/** Call this only after all requests have finished, because this closes the connections that they use. */
export async function closeApiContext(ctx: ApiContext): Promise<void> {
  await ctx.accepting.close();
  await closeContext(ctx);
}
