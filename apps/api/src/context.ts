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

/** The domain's context and what only the API needs. */
export type ApiContext = Context & {
  readonly authenticateKey: AuthenticateKey;
  readonly authenticateSession: AuthenticateSession;
  /** Failed keys per peer address: who guesses is turned away before Postgres is asked. */
  readonly credentialFailures: LocalLimiter;
  /** Those that showed a right key or cookie before are not turned away for their neighbours' failures. */
  readonly knownCredentials: KnownCredentials;
  readonly loginThrottle: LoginThrottle;
  readonly invitationThrottle: InvitationThrottle;
  /** New keys and questions to DNS, per workspace. */
  readonly domainRequests: LocalLimiter;
  readonly accepting: AcceptContext;
  readonly metrics: ApiMetrics;
};
