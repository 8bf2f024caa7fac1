import {
  type Context,
  closeContext,
  healthChecker,
  keyAuthenticator,
  limits,
  localLimiter,
  openAcceptContext,
  openInvitationLimiter,
  openKnownDevices,
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
  const accepting = openAcceptContext(ctx);
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
    knownDevices: openKnownDevices(ctx),
    invitationLimiter: openInvitationLimiter(ctx),
    unverifiedMailLimiter: accepting.unverifiedMailLimiter,
    domainRequests: localLimiter({
      limit: limits.domainRequests.max,
      windowSeconds: 60,
      what: 'domain requests',
    }),
    accepting,
    checkHealth: healthChecker(ctx),
    metrics: createMetrics(ctx),
    securityHeaders: securityHeadersOf(ctx.config),
  };
}

/** Call this only after all requests have finished, because this closes the connections that they use. */
export async function closeApiContext(ctx: ApiContext): Promise<void> {
  await ctx.accepting.close();
  await closeContext(ctx);
}
