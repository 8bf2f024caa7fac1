import type {
  AcceptContext,
  AuthenticateKey,
  AuthenticateSession,
  CheckHealth,
  Context,
  InvitationLimiter,
  KnownDevices,
  LocalLimiter,
  LoginLimiter,
  UnverifiedMailLimiter,
} from '@posthorn/domain';
import type { ApiMetrics } from './metrics.js';
import type { KnownCredentials } from './middleware/known-credentials.js';
import type { SecurityHeaders } from './middleware/security-headers.js';

/** The domain context, plus what only the API needs. */
export type ApiContext = Context & {
  readonly authenticateKey: AuthenticateKey;
  readonly authenticateSession: AuthenticateSession;
  /** Counts failed credentials per client address, so that guesses are refused without a query. */
  readonly credentialFailures: LocalLimiter;
  /** Credentials that were valid before. They keep working while the client's address is blocked. */
  readonly knownCredentials: KnownCredentials;
  readonly loginLimiter: LoginLimiter;
  readonly knownDevices: KnownDevices;
  readonly invitationLimiter: InvitationLimiter;
  readonly unverifiedMailLimiter: UnverifiedMailLimiter;
  /** Counts requests that create a key or query DNS, per workspace. */
  readonly domainRequests: LocalLimiter;
  readonly accepting: AcceptContext;
  readonly checkHealth: CheckHealth;
  readonly metrics: ApiMetrics;
  readonly securityHeaders: SecurityHeaders;
};
