import type { MakeReturnPath } from '@posthorn/domain/domains';
import type { FindSuppressed } from '@posthorn/domain/suppressions';
import type { MessageContext } from '@posthorn/message';
import type { Context } from '@posthorn/platform';
import type { ClaimEmail } from './claiming/claim-batch.js';
import type { Leases } from './claiming/leases.js';
import type { Pauses } from './claiming/pauses.js';
import type { Slots } from './claiming/slots.js';
import type { WorkerMetrics } from './metrics/worker-metrics.js';
import type { WriteOutcome } from './recording/record-batch.js';
import type { RefusedOutcomes } from './recording/refused-outcomes.js';
import type { Relays } from './smtp/relays.js';

/** The context of packages/platform, plus what only a worker needs. */
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
