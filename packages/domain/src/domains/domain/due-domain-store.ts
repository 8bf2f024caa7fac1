import type { Knex } from 'knex';
import { domainColumns, toDomain } from './domain-row.js';
import type { SendingDomain } from './sending-domain.js';

/**
 * Claims domains that are due for a check. No other process gets them until `claimedUntil`, so that processes share the
 * work. If a process stops, its domains are claimed again after that time.
 */
export async function claimDueDomains(
  db: Knex,
  { now, limit, claimedUntil }: { now: Date; limit: number; claimedUntil: Date },
): Promise<SendingDomain[]> {
  const due = db('sending_domains')
    .select('id')
    .where('next_check_at', '<=', now)
    .orderBy('next_check_at')
    .limit(limit)
    .forNoKeyUpdate()
    .skipLocked();
  const rows = await db('sending_domains')
    .whereIn('id', due)
    .update({ next_check_at: claimedUntil })
    .returning(domainColumns);
  return rows.map(toDomain);
}
