import type { DomainRecord } from '@posthorn/contract';
import type { DnsServer } from '@posthorn/testing';

/** Adds records to DNS, as a user would after copying them from the dashboard. */
export function publishRecords(dns: DnsServer, records: readonly DomainRecord[]): void {
  for (const { type, name, value, priority = 0 } of records) {
    if (type === 'MX') dns.mx(name, { priority, host: value });
    else dns.txt(name, value);
  }
}
