import type { Context, FindSigningKey, MakeReturnPath, TemplateCache } from '@posthorn/domain';
import type { ClaimEmail } from './claim-batch.js';
import type { Leases } from './leases.js';
import type { MessageMemory } from './message-memory.js';
import type { WorkerMetrics } from './metrics.js';
import type { WriteOutcome } from './record-batch.js';
import type { RefusedOutcomes } from './refused-outcomes.js';
import type { Slots } from './slots.js';
import type { Relays } from './smtp/relays.js';

/** The context of packages/domain, plus what only a worker needs. */
export type WorkerContext = Context & {
  readonly relays: Relays;
  readonly slots: Slots;
  readonly leases: Leases;
  readonly messageMemory: MessageMemory;
  readonly templates: TemplateCache;
  readonly metrics: WorkerMetrics;
  readonly findSigningKey: FindSigningKey;
  readonly makeReturnPath: MakeReturnPath;
  readonly claim: ClaimEmail;
  readonly record: WriteOutcome;
  readonly refusedOutcomes: RefusedOutcomes;
};
