import type { Domain, DomainRecord } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { StatusBadge } from '../ui/facts';
import { domainsQuery } from './queries';

/** The names of domains, separated by commas. A domain that has been deleted is shown by its id. */
export function DomainNames({ ids }: { readonly ids: readonly string[] }) {
  const { data: domains = [] } = useQuery(domainsQuery);
  return ids.map((id) => domains.find((domain) => domain.id === id)?.name ?? id).join(', ');
}

const statuses = {
  pending: { color: 'yellow', label: 'Waiting for DNS' },
  verified: { color: 'green', label: 'Verified' },
  withdrawn: { color: 'red', label: 'Withdrawn' },
} as const;

export function DomainStatusBadge({ status }: { readonly status: Domain['status'] }) {
  return <StatusBadge {...statuses[status]} />;
}

type RecordDescription = { readonly title: string; readonly purpose: string };

const descriptions: Readonly<Record<DomainRecord['record'], RecordDescription>> = {
  ownership: {
    title: 'Ownership',
    purpose: 'Proves that the domain belongs to this workspace and no other.',
  },
  dkim: {
    title: 'DKIM',
    purpose: 'The public key that receivers use to check the signature of your emails.',
  },
  spf: {
    title: 'SPF',
    purpose: 'Lets our servers send with a return path in your domain. Your existing SPF record does not change.',
  },
  return_path_mx: {
    title: 'Return path (MX)',
    purpose: 'Routes bounces to us. Email that you receive is not affected.',
  },
  dmarc: {
    title: 'DMARC',
    purpose: 'Tells receivers what to do with emails that fail authentication. Large receivers expect this record.',
  },
  tracking: {
    title: 'Tracking host',
    purpose: 'Lets links that record clicks, and images that record opens, have your domain instead of ours.',
  },
};

export function describeRecord({ record }: DomainRecord): RecordDescription {
  return descriptions[record];
}

const keyRequirements = {
  pending: 'New key: starts signing once we find this record',
  active: 'Required',
  retired: 'Retired key: leave this record in place',
} as const;

/** Whether the record is required, or the role of its key. */
export function describeRequirement({ record, key, required }: DomainRecord): string {
  if (key !== undefined) return keyRequirements[key];
  if (record === 'tracking') return 'Optional';
  return required ? 'Required' : 'Recommended';
}

/** Names are not unique: a TXT and an MX record may share one. */
export function getRecordId({ type, name }: DomainRecord): string {
  return `${type}-${name}`;
}

export const recordStatuses = {
  pending: { color: 'gray', label: 'Not checked yet' },
  verified: { color: 'green', label: 'In place' },
  missing: { color: 'yellow', label: 'Missing' },
  wrong: { color: 'red', label: 'Wrong' },
} as const;

export function RecordStatusBadge({ status }: { readonly status: DomainRecord['status'] }) {
  return <StatusBadge {...recordStatuses[status]} />;
}
