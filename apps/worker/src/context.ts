import type { Context, FindSuppressed, MakeReturnPath } from '@posthorn/domain';
import type { MessageContext } from '@posthorn/message';
import type { ClaimEmail } from './claim-batch.js';
import type { Leases } from './leases.js';
import type { WorkerMetrics } from './metrics.js';
import type { Pauses } from './pauses.js';
import type { WriteOutcome } from './record-batch.js';
import type { RefusedOutcomes } from './refused-outcomes.js';
import type { Slots } from './slots.js';
import type { Relays } from './smtp/relays.js';

/** The context of packages/domain, plus what only a worker needs. */
export type WorkerContext = Context &
  MessageContext & {
    readonly relays: Relays;
    readonly slots: Slots;
    readonly pauses: Pauses;
    readonly leases: Leases;
    readonly metrics: WorkerMetrics;
    readonly makeReturnPath: MakeReturnPath;
    readonly findSuppressed: FindSuppressed;
    readonly claim: ClaimEmail;
    readonly record: WriteOutcome;
    readonly refusedOutcomes: RefusedOutcomes;
  };
