import { lookup } from 'node:dns/promises';
import { openDns } from '@posthorn/domain/domains';
import type { Config } from '@posthorn/platform/config';

/** The addresses of a host, or why there are none. The reason completes a sentence that starts with the host. */
type FoundAddresses = { readonly addresses: readonly string[] } | { readonly reason: string };

const NO_ADDRESS: FoundAddresses = { reason: 'has no address in DNS' };

/** Looks up a name: through the configured resolvers, or through the system's, which also read /etc/hosts. */
export async function findAddresses({ dnsServers }: Pick<Config, 'dnsServers'>, name: string): Promise<FoundAddresses> {
  return dnsServers.length > 0 ? await findInDns(dnsServers, name) : await findInSystem(name);
}

async function findInDns(dnsServers: readonly string[], name: string): Promise<FoundAddresses> {
  const dns = openDns({ dnsServers });
  try {
    const answer = await dns.addresses(name);
    if ('failure' in answer) return { reason: `could not be looked up in DNS: ${answer.failure}` };
    return answer.values.length === 0 ? NO_ADDRESS : { addresses: answer.values };
  } finally {
    dns.close();
  }
}

async function findInSystem(name: string): Promise<FoundAddresses> {
  try {
    const found = await lookup(name, { all: true, verbatim: true });
    return { addresses: found.map(({ address }) => address) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTFOUND') return NO_ADDRESS;
    const failure = code === 'EAI_AGAIN' ? 'no resolver answered' : `the query failed (${code})`;
    return { reason: `could not be looked up in DNS: ${failure}` };
  }
}
