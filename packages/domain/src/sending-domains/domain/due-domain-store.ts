import type { Knex } from 'knex';
import { domainColumns, toDomain } from './domain-row.js';
import type { SendingDomain } from './sending-domain.js';

/**
 * Names whose time has come. Until `claimedUntil` nobody else gets them, so any number of processes share
 * the work, and what one of them drops is taken up again.
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
