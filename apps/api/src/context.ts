import type {
  AcceptContext,
  AuthenticateKey,
  AuthenticateSession,
  Context,
  InvitationThrottle,
  LocalLimiter,
  LoginThrottle,
} from '@posthorn/domain';
import type { ApiMetrics } from './metrics.js';
import type { KnownCredentials } from './middleware/known-credentials.js';

/** The domain's context, and what only the API needs. */
export type ApiContext = Context & {
  readonly authenticateKey: AuthenticateKey;
  readonly authenticateSession: AuthenticateSession;
  /** Failed credentials per client address. A client that guesses is refused before Postgres is asked. */
  readonly credentialFailures: LocalLimiter;
  /** Credentials that were valid before. Failures of others at the same address do not block them. */
  readonly knownCredentials: KnownCredentials;
  readonly loginThrottle: LoginThrottle;
  readonly invitationThrottle: InvitationThrottle;
  /** Requests that create a key or query DNS, per workspace. */
  readonly domainRequests: LocalLimiter;
  readonly accepting: AcceptContext;
  readonly metrics: ApiMetrics;
};
