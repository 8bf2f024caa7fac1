import type { Domain, DomainRecord } from '@posthorn/contract';
import type { DnsServer } from '@posthorn/testing';
import type { TestApi, TestTenant } from '../open-test-api.js';

export const path = '/api/v1/domains';

type Tenant = Pick<TestTenant, 'auth'>;

export async function createDomain(t: TestApi, name: string, { auth }: Tenant = t): Promise<Domain> {
  const response = await t.api.post(path).set(auth).send({ name });
  if (response.status !== 201) throw new Error(`Adding a domain returned ${response.status}: ${response.text}`);
  return response.body;
}

export async function verify(t: TestApi, { id }: Pick<Domain, 'id'>, { auth }: Tenant = t): Promise<Domain> {
  const response = await t.api.post(`${path}/${id}/verify`).set(auth);
  if (response.status !== 200) throw new Error(`Verifying returned ${response.status}: ${response.text}`);
  return response.body;
}

/** Adds records to DNS, as the domain's owner would. */
export function publish(dns: DnsServer, records: readonly DomainRecord[]): void {
  for (const { type, name, value, value_split, priority } of records) {
    if (type === 'MX') dns.mx(name, { priority: priority ?? 0, host: value });
    else if (type === 'CNAME') dns.cname(name, value);
    else dns.txt(name, value_split ?? [value]);
  }
}

/** The first record of a kind. */
export function getRecord({ records }: Pick<Domain, 'records'>, kind: DomainRecord['record']): DomainRecord {
  const found = records.find(({ record }) => record === kind);
  if (!found) throw new Error(`There is no ${kind} record`);
  return found;
}

/** The status of the first record of each kind. */
export function getStatuses({ records }: Pick<Domain, 'records'>): Partial<Record<DomainRecord['record'], string>> {
  return Object.fromEntries(records.toReversed().map(({ record, status }) => [record, status]));
}
