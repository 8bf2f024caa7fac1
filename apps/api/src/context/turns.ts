import { limits } from '@posthorn/domain/limits';
import { createFairQueue } from '@posthorn/domain/throttles';
import { formatCount } from '@posthorn/platform/values';

/** Fewer than our Postgres connections, but more than the requests that most dashboard pages send at once. */
const MAX_REQUESTS_AT_ONCE = 4;

/** How many operations without a valid credential may run at the same time per IP address. */
const MAX_WITHOUT_CREDENTIAL_AT_ONCE = 2;

/** How many refused bodies are read at a time. Reading a hundred would leave no time for other requests. */
const MAX_DISCARDS_AT_ONCE = 4;

const RETRY_AFTER_SECONDS = 10;

export type ApiTurns = ReturnType<typeof createTurns>;

export function createTurns() {
  return {
    /** Of a workspace. */
    requests: createFairQueue({ atOnce: MAX_REQUESTS_AT_ONCE }),
    /** Large requests of a workspace. */
    content: createFairQueue({ atOnce: 1 }),
    /** Exports of a workspace, of lists and of the workspace itself. */
    exports: openWithoutWaiting(limits.exports),
    messageReads: openWithoutWaiting(limits.messageReads),
    /** Unknown credentials that are looked up, per IP address. */
    credentials: createFairQueue({ atOnce: MAX_WITHOUT_CREDENTIAL_AT_ONCE }),
    /** Public requests that change or look up something, per IP address. */
    publicRequests: createFairQueue({ atOnce: MAX_WITHOUT_CREDENTIAL_AT_ONCE }),
    /** Refused bodies whose rest is read, in this process. */
    discards: createFairQueue({ atOnce: MAX_DISCARDS_AT_ONCE }),
  };
}

/** For responses that a client can read as slowly as it likes, so others are refused and do not wait. */
function openWithoutWaiting({ max, unit }: { readonly max: number; readonly unit: string }) {
  const refusal = { limit: `${formatCount(max)} ${unit}`, retryAfterSeconds: RETRY_AFTER_SECONDS };
  return createFairQueue({ atOnce: max, line: { maxWaitingPerSource: 0, refusal } });
}
