import type { AcceptContext } from '@posthorn/domain/accepting';
import type { AuthenticateSession, InvitationLimiter, KnownDevices, LoginLimiter } from '@posthorn/domain/accounts';
import type { AuthenticateKey } from '@posthorn/domain/api-keys';
import type { FindSigningKey } from '@posthorn/domain/domains';
import type { CountRequest, FixedWindowLimiter, UnverifiedMailLimiter } from '@posthorn/domain/throttles';
import type { MessageMemory, TrackHtml } from '@posthorn/message';
import type { Context } from '@posthorn/platform';
import type { CheckHealth } from '@posthorn/platform/health';
import type { Thread } from '@posthorn/threads';
import type { ReceiverGuard } from '@posthorn/webhooks';
import type { MessageBuilder } from '../emails/message-builder.js';
import type { ByteBudget } from '../http/body-budget.js';
import type { DiscardBody } from '../http/discard-body.js';
import type { SecurityHeaders } from '../http/security-headers.js';
import type { JsonCodec } from '../json/json-codec.js';
import type { Slots } from '../load-limits/open-slots.js';
import type { Turns } from '../load-limits/open-turns.js';
import type { KnownCredentials } from '../request-steps/authenticate.js';
import type { TextJob } from '../templates/text-thread.js';
import type { ApiMetrics } from './metrics.js';
import type { Shutdown } from './shutdown.js';

/** The context of packages/platform, plus what only the API needs. */
export type ApiContext = Context & {
  readonly authenticateKey: AuthenticateKey;
  readonly authenticateSession: AuthenticateSession;
  /** Counts failed credentials per IP address, so that further guesses can be refused without a query. */
  readonly credentialFailures: FixedWindowLimiter;
  /** Credentials that this process has accepted before. They keep working while the client's IP address is blocked. */
  readonly knownCredentials: KnownCredentials;
  /** Counts requests that do not send email, per key or user. */
  readonly countRequest: CountRequest;
  /** Counts requests without a credential and requests to paths or methods that do not exist, per IP address. */
  readonly publicRequests: FixedWindowLimiter;
  readonly json: JsonCodec;
  /** Bounds the memory and the time that large bodies take. */
  readonly bodies: ByteBudget;
  readonly discardBody: DiscardBody;
  /** Bounds how many requests per workspace run at the same time. */
  readonly turns: Turns;
  /** Lets each workspace run only one large request at a time. */
  readonly contentTurns: Turns;
  /** Bounds how many exports per workspace run at the same time, of lists and of the workspace. */
  readonly exports: Slots;
  /** Bounds how many full messages a workspace reads at the same time. */
  readonly messageReads: Slots;
  /** Bounds how many unknown credentials are looked up at the same time, per IP address. */
  readonly credentialTurns: Turns;
  /** Bounds how many public requests with a body run at the same time, per IP address. */
  readonly publicTurns: Turns;
  readonly loginLimiter: LoginLimiter;
  readonly knownDevices: KnownDevices;
  readonly invitationLimiter: InvitationLimiter;
  readonly unverifiedMailLimiter: UnverifiedMailLimiter;
  /** Counts requests that create a DKIM key or query DNS, per workspace. */
  readonly domainRequests: FixedWindowLimiter;
  readonly accepting: AcceptContext;
  readonly findSigningKey: FindSigningKey;
  readonly trackHtml: TrackHtml;
  readonly messageMemory: MessageMemory;
  readonly messages: MessageBuilder;
  /** Generates the text of a template from its HTML. */
  readonly textWriter: Thread<TextJob, string>;
  /** Decides which URLs webhooks may have. */
  readonly receiverGuard: ReceiverGuard;
  /** Tells workers that there are new events for webhooks. */
  readonly signalEvents: () => void;
  readonly checkHealth: CheckHealth;
  readonly shutdown: Shutdown;
  readonly metrics: ApiMetrics;
  readonly securityHeaders: SecurityHeaders;
};
