import type { Domain } from '@posthorn/contract';
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
