import { useQuery } from '@tanstack/react-query';
import { domainsQuery } from './queries';

/** The names of domains, separated by commas. A domain that has been deleted is shown by its id. */
export function DomainNames({ ids }: { readonly ids: readonly string[] }) {
  const { data: domains = [] } = useQuery(domainsQuery);
  return ids.map((id) => domains.find((domain) => domain.id === id)?.name ?? id).join(', ');
}
