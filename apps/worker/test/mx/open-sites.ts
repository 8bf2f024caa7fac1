import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import { type DnsServer, type Fault, type RawSmtpServer, startDnsServer, startRawSmtpServer } from '@posthorn/testing';

export const CERTIFICATES = join(import.meta.dirname, 'certificates');

/** @param name of a file in `certificates`; all of them have the same key */
export function readCertificate(name: string): SecureContextOptions {
  const read = (file: string) => readFileSync(join(CERTIFICATES, file));
  return { key: read('server.key'), cert: read(`${name}.pem`) };
}

/** A mail server whose faults and certificate a test changes. */
export type SiteServer = RawSmtpServer & { readonly host: string; fault: Fault; tls: SecureContextOptions | null };

export type Sites = Awaited<ReturnType<typeof openSites>>;

/** Starts a DNS server, and a mail server at each of the addresses, which all have the same port. */
export async function openSites(...addresses: readonly string[]) {
  const dns = await startDnsServer();
  const servers: SiteServer[] = [];
  for (const address of addresses) servers.push(await startSiteServer(address, servers[0]?.port ?? 0));
  let domains = 0;
  return {
    dns,
    servers,
    port: servers[0]?.port ?? 0,
    /**
     * A domain of its own for each test, because sites are remembered. Its hosts are in the order of their preference.
     * @returns its name
     */
    domainAt(...hostAddresses: string[]): string {
      domains += 1;
      return addDomain(dns, `site${domains}`, hostAddresses);
    },
    /** Makes everything work again. */
    reset(): void {
      dns.heal();
      dns.clear();
      for (const server of servers) {
        Object.assign(server, { fault: () => undefined, tls: null });
        server.forget();
      }
    },
    close: () => Promise.all([dns, ...servers].map((server) => server.close())),
  };
}

/** The hosts have names that the certificates of `certificates` fit. */
function addDomain(dns: DnsServer, label: string, addresses: readonly string[]): string {
  const hosts = addresses.map((address, index) => ({ address, host: `mx${index + 1}-${label}.tls.example` }));
  dns.mx(`${label}.example`, ...hosts.map(({ host }, index) => ({ priority: 10 * (index + 1), host })));
  for (const { host, address } of hosts) dns.addresses(host, address);
  return `${label}.example`;
}

async function startSiteServer(host: string, port: number): Promise<SiteServer> {
  const raw = await startRawSmtpServer((...at) => started.fault(...at), [], { host, port, tls: () => started.tls });
  const started = Object.assign(raw, { host, fault: (() => undefined) as Fault, tls: null });
  return started;
}
