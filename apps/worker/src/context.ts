import type { Context, FindSuppressed, MakeReturnPath } from '@posthorn/domain';
import type { MessageContext } from '@posthorn/message';
import type { ClaimEmail } from './claiming/claim-batch.js';
import type { Leases } from './claiming/leases.js';
import type { Pauses } from './claiming/pauses.js';
import type { Slots } from './claiming/slots.js';
import type { WorkerMetrics } from './metrics/worker-metrics.js';
import type { WriteOutcome } from './recording/record-batch.js';
import type { RefusedOutcomes } from './recording/refused-outcomes.js';
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
