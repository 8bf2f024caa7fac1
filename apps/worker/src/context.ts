import type { ClaimedEmail, Context, FindSigningKey, MakeReturnPath, Outcome, TemplateCache } from '@posthorn/domain';
import type { Leases } from './leases.js';
import type { WorkerMetrics } from './metrics.js';
import type { Slots } from './slots.js';
import type { Relays } from './smtp/relays.js';

/** The domain's context and what only a worker needs. */
export type WorkerContext = Context & {
  readonly relays: Relays;
  readonly slots: Slots;
  readonly leases: Leases;
  readonly templates: TemplateCache;
  readonly metrics: WorkerMetrics;
  readonly findSigningKey: FindSigningKey;
  readonly makeReturnPath: MakeReturnPath;
  /** Claims a queued email, together with the others that bells name at the moment. */
  claim(id: string): Promise<ClaimedEmail | null>;
  /** Writes the end of an attempt, together with others. @returns false when the lease was lost */
  record(outcome: Outcome): Promise<boolean>;
};
