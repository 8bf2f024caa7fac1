import type { Deliverability } from '@posthorn/contract';
import { countBounces } from '@posthorn/domain/bounces';
import type { Workspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { readDatabaseTime } from '@posthorn/platform/postgres';
import { HOUR_MS, toFirstId } from '@posthorn/platform/values';
import { evaluateCounts } from './rates.js';
import {
  type DomainCounts,
  readCountsForLimits,
  readDomainCounts,
  sumCounts,
  toWindowCounts,
  type WindowCounts,
  windows,
} from './sending-stats-store.js';

export type DeliverabilityReport = {
  readonly status: Deliverability['status'];
  readonly counts: WindowCounts;
  readonly domains: readonly DomainCounts[];
  /** Of the last 7 days. */
  readonly bounces: Awaited<ReturnType<typeof countBounces>>;
};

/** Reports the bounce and complaint rates of a workspace's live mail. @param workspace the live workspace */
export async function reportDeliverability(
  { db }: Pick<Context, 'db'>,
  { liveId, pause }: Workspace,
): Promise<DeliverabilityReport> {
  const now = await readDatabaseTime(db);
  const from = toFirstId(now.getTime() - windows['7d'] * HOUR_MS);
  const [domains, limited, bounces] = await Promise.all([
    readDomainCounts(db, liveId),
    readCountsForLimits(db, liveId),
    countBounces(db, liveId, from),
  ]);
  const withoutPause = evaluateCounts(limited) === null ? 'ok' : 'warning';
  return {
    status: pause ? 'paused' : withoutPause,
    counts: toWindowCounts((window) => sumCounts(domains.map(({ counts }) => counts[window]))),
    domains,
    bounces,
  };
}
