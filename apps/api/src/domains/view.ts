import type { Domain as DomainJson, DomainRecord } from '@posthorn/contract';
import { type CheckedRecord, type DescribedDomain, splitText } from '@posthorn/domain/domains';

export function viewDomain(domain: DescribedDomain): DomainJson {
  return {
    object: 'domain',
    id: domain.id,
    name: domain.name,
    status: domain.status,
    records: domain.records.map(viewRecord),
    track_opens: domain.trackOpens,
    track_clicks: domain.trackClicks,
    tracking_available: domain.canTrack,
    created_at: domain.createdAt.toISOString(),
    verified_at: domain.verifiedAt?.toISOString() ?? null,
    checked_at: domain.checkedAt?.toISOString() ?? null,
  };
}

function viewRecord({
  record,
  type,
  name,
  value,
  ttl,
  priority,
  required,
  keyState,
  finding,
}: CheckedRecord): DomainRecord {
  const { status, found, message, failure } = finding;
  return {
    record,
    type,
    name,
    value,
    ...(type === 'TXT' && { value_split: splitText(value) }),
    ttl,
    ...(priority !== null && { priority }),
    status,
    required,
    ...(keyState !== null && { key: keyState }),
    found: [...found],
    message: failure === null ? message : `The DNS lookup failed: ${failure}. The status has not changed.`,
  };
}
