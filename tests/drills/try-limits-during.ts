import { setTimeout as sleep } from 'node:timers/promises';
import { getPercentile } from '@posthorn/testing';
import { expectInTime, type Failure } from '../rig/failures.js';
import type { Rig } from '../rig/open-rig.js';
import { untilDelivering } from '../rig/until.js';
import { createLimitedWorkspaces, type LimitedWorkspaces, sendBeyondLimits } from './send-beyond-limits.js';

const LOAD = { inFlight: 4, pauseMs: 20 };

/** The limit for the p99 of response times while Redis is down. */
const MAX_RESPONSE_MS = 1_000;
/** How long after a fault all processes use the same Redis again: the wait after a failed connection, and a second. */
const RECONNECT_MS = 2_000;
/** So that the requests beyond the limits last about as long as the fault. */
const PAUSE_MS = 100;
const WARM_UP = 20;

/** One fault, with what happened to the limits while it lasted and after it. */
export type FaultResult = { readonly figures: string; readonly failures: readonly Failure[] };

/**
 * Injects a fault under load, and sends beyond limits both during and after it.
 * @param inject resolves when the fault is over, and gets the workspaces whose limits are tried during the fault
 * @param isRedisDown whether requests find no Redis for a while
 */
export async function tryLimitsDuring(
  rig: Rig,
  what: string,
  inject: (workspaces: LimitedWorkspaces) => Promise<void>,
  { isRedisDown = true } = {},
): Promise<FaultResult> {
  const workspaces = await createLimitedWorkspaces(rig);
  // The first requests to a process take longer.
  await rig.sendMany(WARM_UP);
  const from = rig.client.journal.entries.length;
  const during = await rig.whileSending(async () => {
    const sending = sendBeyondLimits(rig, workspaces, { pauseMs: PAUSE_MS, isRedisDown });
    await Promise.all([sending, inject(workspaces)]);
    return sending;
  }, LOAD);
  const p99 = getPercentile(
    rig.client.journal.entries.slice(from).map(({ ms }) => ms),
    0.99,
  );
  await untilDelivering(rig);
  await sleep(RECONNECT_MS);
  const after = await sendBeyondLimits(rig, await createLimitedWorkspaces(rig));
  return {
    figures: `${what}: ${during.figures}, p99 ${Math.round(p99 ?? 0)} ms; after it: ${after.figures}`,
    failures: [
      ...[...during.failures, ...after.failures].map(({ kind, sentence }) => ({
        kind,
        sentence: `${what}: ${sentence}`,
      })),
      ...expectInTime((p99 ?? 0) < MAX_RESPONSE_MS, `${what}: the p99 of the responses was ${Math.round(p99 ?? 0)} ms`),
    ],
  };
}

/** @returns one outcome of all faults */
export function combineFaults(results: readonly FaultResult[]): FaultResult {
  return {
    figures: results.map(({ figures }) => figures).join('. '),
    failures: results.flatMap(({ failures }) => failures),
  };
}
