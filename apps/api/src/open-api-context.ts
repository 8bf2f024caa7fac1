import { join } from 'node:path';
import { openAcceptContext } from '@posthorn/domain/accepting';
import {
  openInvitationLimiter,
  openKnownDevices,
  openLoginLimiter,
  sessionAuthenticator,
} from '@posthorn/domain/accounts';
import { keyAuthenticator } from '@posthorn/domain/api-keys';
import { signingKeyFinder } from '@posthorn/domain/domains';
import { openEventSignal } from '@posthorn/domain/events';
import { limits } from '@posthorn/domain/limits';
import { fixedWindowLimiter, openRequestLimiter } from '@posthorn/domain/throttles';
import { htmlTracker, messageMemory } from '@posthorn/message';
import { type Context, closeContext } from '@posthorn/platform';
import { healthChecker } from '@posthorn/platform/health';
import { openThread } from '@posthorn/threads';
import { createReceiverGuard } from '@posthorn/webhooks';
import type { ApiContext } from './context/api-context.js';
import { createMetrics } from './context/metrics.js';
import { openShutdown } from './context/shutdown.js';
import { openMessageBuilder } from './emails/message-builder.js';
import { byteBudget } from './http/body-budget.js';
import { openBodyDiscarder } from './http/discard-body.js';
import { securityHeadersOf } from './http/security-headers.js';
import { openJsonCodec } from './json/json-codec.js';
import { openSlots } from './load-limits/open-slots.js';
import { openTurns } from './load-limits/open-turns.js';
import { knownCredentials } from './request-steps/authenticate.js';

/** After this many failures in a minute, unknown credentials from the same IP address are refused without a lookup. */
const MAX_CREDENTIAL_FAILURES_PER_MINUTE = 300;

/** Fewer than our Postgres connections, but more than the requests that most dashboard pages send at once. */
const MAX_REQUESTS_AT_ONCE = 4;

/** How many operations without a valid credential may run at the same time per IP address. */
const MAX_WITHOUT_CREDENTIAL_AT_ONCE = 2;

const MAX_TEXT_WRITER_HEAP_MB = 128;

export function openApiContext(ctx: Context): ApiContext {
  const accepting = openAcceptContext(ctx);
  return {
    ...ctx,
    authenticateKey: keyAuthenticator(ctx),
    authenticateSession: sessionAuthenticator(ctx),
    credentialFailures: perMinute(MAX_CREDENTIAL_FAILURES_PER_MINUTE, 'failed authentication attempts'),
    knownCredentials: knownCredentials(),
    countRequest: openRequestLimiter(ctx),
    publicRequests: perMinute(limits.publicRequests.max, 'requests from one IP address'),
    json: openJsonCodec(),
    bodies: byteBudget(),
    discardBody: openBodyDiscarder(),
    turns: openTurns(MAX_REQUESTS_AT_ONCE),
    contentTurns: openTurns(1),
    exports: openSlots(limits.exports),
    messageReads: openSlots(limits.messageReads),
    credentialTurns: openTurns(MAX_WITHOUT_CREDENTIAL_AT_ONCE),
    publicTurns: openTurns(MAX_WITHOUT_CREDENTIAL_AT_ONCE),
    loginLimiter: openLoginLimiter(ctx),
    knownDevices: openKnownDevices(ctx),
    invitationLimiter: openInvitationLimiter(ctx),
    unverifiedMailLimiter: accepting.unverifiedMailLimiter,
    domainRequests: perMinute(limits.domainRequests.max, 'domain requests'),
    accepting,
    findSigningKey: signingKeyFinder(ctx),
    trackHtml: htmlTracker(ctx),
    messageMemory: messageMemory(),
    messages: openMessageBuilder(),
    textWriter: openThread(join(import.meta.dirname, 'templates/text-thread'), { maxHeapMb: MAX_TEXT_WRITER_HEAP_MB }),
    receiverGuard: createReceiverGuard(ctx.config),
    signalEvents: openEventSignal(ctx),
    checkHealth: healthChecker(ctx),
    shutdown: openShutdown(),
    metrics: createMetrics(ctx, accepting),
    securityHeaders: securityHeadersOf(ctx.config),
  };
}

function perMinute(limit: number, what: string) {
  return fixedWindowLimiter({ limit, windowSeconds: 60, what });
}

/** Call this only after all requests have finished, because this closes the connections that they use. */
export async function closeApiContext(ctx: ApiContext): Promise<void> {
  await ctx.json.close();
  await ctx.messages.close();
  await ctx.textWriter.close();
  await ctx.accepting.close();
  await closeContext(ctx);
}
