import type { AcceptContext } from '@posthorn/domain/accepting';
import type { KeyCache } from '@posthorn/domain/api-keys';
import type { SigningKeyCache } from '@posthorn/domain/domains';
import type { Windows } from '@posthorn/domain/throttles';
import type { WholeMessageParts } from '@posthorn/message';
import type { Context } from '@posthorn/platform';
import type { Thread } from '@posthorn/threads';
import type { SsrfGuard } from '@posthorn/webhooks';
import type { BodyBudget } from '../http/body-budget.js';
import type { SecurityHeaders } from '../http/security-headers.js';
import type { ParseJob, ParseResult } from '../json/parse-thread.js';
import type { FeedbackMemory } from '../provider-events/feedback-memory.js';
import type { EventsJob, EventsResult } from '../provider-events/read-events.js';
import type { ApiMetrics } from './metrics.js';
import type { ApiTurns } from './turns.js';

/** The context of packages/platform, plus what only the API needs. */
export type ApiContext = Context & {
  readonly accepting: AcceptContext;
  /** Bounds how often something may happen. Each limit is declared next to what counts it. */
  readonly windows: Windows;
  readonly turns: ApiTurns;
  /** Bounds the memory and the time that large bodies take. */
  readonly bodies: BodyBudget;
  /** Bounds the memory of whole messages that clients download. */
  readonly downloads: BodyBudget;
  readonly credentials: {
    readonly keys: KeyCache;
    /**
     * Hashes of the credentials that this process has accepted before. They keep working while the client's IP address
     * is blocked.
     */
    readonly known: Set<string>;
  };
  readonly signingKeys: SigningKeyCache;
  /** Decides which hosts webhooks may reach. */
  readonly ssrfGuard: SsrfGuard;
  /** Second threads, for what would keep other requests waiting. Each starts with its first job. */
  readonly threads: {
    /** Parses large bodies one at a time. */
    readonly parsing: Thread<ParseJob, ParseResult>;
    readonly messages: Thread<WholeMessageParts, Uint8Array>;
    /** Generates the text of a template from its HTML. */
    readonly texts: Thread<{ readonly html: string }, string>;
    /** Reads large bodies with events of relays' providers. */
    readonly events: Thread<EventsJob, EventsResult>;
  };
  readonly feedback: FeedbackMemory;
  readonly metrics: ApiMetrics;
  readonly server: {
    readonly securityHeaders: SecurityHeaders;
    /** Set when the process is told to stop. It is then not ready, and closes each connection after a response. */
    isStopping: boolean;
  };
};
