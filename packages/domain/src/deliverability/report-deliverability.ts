import type { Context } from '../context.js';
import { databaseTime } from '../database/database-time.js';
import { HOUR_MS } from '../durations.js';
import { firstIdAt } from '../ids.js';
import type { Workspace } from '../workspaces/workspace.js';
import { countBounces } from './bounce-store.js';
import { ratesOf, type SendingCounts } from './rates.js';
import {
  type DomainCounts,
  readDomainCounts,
  readLimitedCounts,
  type WindowCounts,
  windows,
} from './sending-stats-store.js';

export type DeliverabilityReport = {
  readonly status: 'ok' | 'warning' | 'paused';
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
  const now = await databaseTime(db);
  const from = firstIdAt(now.getTime() - windows['7d'] * HOUR_MS);
  const [domains, limited, bounces] = await Promise.all([
    readDomainCounts(db, liveId),
    readLimitedCounts(db, liveId),
    countBounces(db, liveId, from),
  ]);
  const withoutPause = ratesOf(limited).level === 'ok' ? 'ok' : 'warning';
  const sumOf = (window: keyof WindowCounts) => sum(domains.map(({ counts }) => counts[window]));
  return {
    status: pause ? 'paused' : withoutPause,
    counts: { '24h': sumOf('24h'), '7d': sumOf('7d'), '30d': sumOf('30d') },
    domains,
    bounces,
  };
}

function sum(all: readonly SendingCounts[]): SendingCounts {
  const total = (field: keyof SendingCounts) => all.reduce((so, counts) => so + counts[field], 0);
  return {
    sent: total('sent'),
    bounced: total('bounced'),
    hardBounced: total('hardBounced'),
    complained: total('complained'),
  };
}
