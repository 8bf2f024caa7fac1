import type { Knex } from 'knex';
import { type DomainRow, domainColumns, toDomain } from './domain-row.js';
import type { Findings } from './finding.js';
import type { SendingDomain, Verification } from './sending-domain.js';

const verificationColumns = ['status_since', 'verified_by_operator', 'failing_since'];

type LockedDomainRow = DomainRow & { status_since: Date; verified_by_operator: boolean; failing_since: Date | null };

/** A locked domain with its verification status. */
export type LockedDomain = { readonly domain: SendingDomain; readonly verification: Verification };

/**
 * Keeps other transactions from changing the domain. Emails from it are still accepted and sent.
 * @returns null when it is deleted
 */
export async function lockDomain(trx: Knex, id: string): Promise<LockedDomain | null> {
  const row = await trx('sending_domains')
    .select([...domainColumns, ...verificationColumns])
    .where({ id, deleted_at: null })
    .forNoKeyUpdate()
    .first();
  return row ? toLockedDomain(row) : null;
}

/** @throws the unique violation from Postgres when another workspace has verified the name */
export async function writeVerification(
  trx: Knex,
  id: string,
  { status, verifiedAt, statusSince, verifiedByOperator, failingSince }: Verification,
): Promise<SendingDomain> {
  const [row] = await trx('sending_domains')
    .where({ id })
    .update({
      status,
      verified_at: verifiedAt,
      status_since: statusSince,
      verified_by_operator: verifiedByOperator,
      failing_since: failingSince,
    })
    .returning(domainColumns);
  return toDomain(row);
}

export async function writeFindings(
  trx: Knex,
  id: string,
  { findings, checkedAt }: { findings: Findings; checkedAt: Date | null },
): Promise<void> {
  await trx('sending_domains')
    .where({ id })
    .update({ findings: JSON.stringify(findings), checked_at: checkedAt });
}

export async function writeNextCheck(trx: Knex, id: string, nextCheckAt: Date | null): Promise<void> {
  await trx('sending_domains').where({ id }).update({ next_check_at: nextCheckAt });
}

/** Changes what emails from the domain report that are accepted from now on. */
export async function writeTracking(
  trx: Knex,
  id: string,
  { trackOpens, trackClicks }: Pick<SendingDomain, 'trackOpens' | 'trackClicks'>,
): Promise<SendingDomain> {
  const [row] = await trx('sending_domains')
    .where({ id })
    .update({ track_opens: trackOpens, track_clicks: trackClicks })
    .returning(domainColumns);
  return toDomain(row);
}

function toLockedDomain(row: LockedDomainRow): LockedDomain {
  return {
    domain: toDomain(row),
    verification: {
      status: row.status,
      verifiedAt: row.verified_at,
      statusSince: row.status_since,
      verifiedByOperator: row.verified_by_operator,
      failingSince: row.failing_since,
    },
  };
}
