import { promises as dns, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Config } from '@posthorn/domain';
import ipaddr from 'ipaddr.js';

export type ReceiverGuard = {
  resolve(host: string): Promise<string[]>;
  isAllowed(address: string): boolean;
  isPrivate(address: string): boolean;
  readonly lookup: LookupFunction;
};

export class ForbiddenReceiver extends Error {}

export function openReceiverGuard(config: Pick<Config, 'dnsServers' | 'webhookAllowedNetworks'>): ReceiverGuard {
  const networks = config.webhookAllowedNetworks.map((text) =>
    ipaddr.parseCIDR(text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`),
  );
  const isAllowed = (text: string) => {
    const address = ipaddr.process(text);
    return networks.some(
      ([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits),
    );
  };
  const isPrivate = (text: string) => ipaddr.process(text).range() !== 'unicast' || text.startsWith('::');
  async function resolve(host: string): Promise<string[]> {
    if (ipaddr.isValid(host)) return [host];
    if (config.dnsServers.length === 0) return (await dns.lookup(host, { all: true })).map(({ address }) => address);
    const resolver = new dns.Resolver();
    resolver.setServers([...config.dnsServers]);
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  }
  void systemLookup;
  return {
    resolve,
    isAllowed,
    isPrivate,
    lookup(host, _options, callback) {
      resolve(host).then(
        (addresses) => {
          const forbidden = addresses.find((address) => isPrivate(address) && !isAllowed(address));
          if (forbidden)
            return callback(new ForbiddenReceiver(`${host} leads to ${forbidden}, which is a private address`), []);
          callback(
            null,
            addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
          );
        },
        (error) => callback(error, []),
      );
    },
  };
}

export async function checkWebhookUrl(guard: ReceiverGuard, text: string): Promise<string | null> {
  if (!URL.canParse(text)) return 'must be a URL, such as https://example.com/webhooks';
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = await guard.resolve(host).catch(() => []);
  if (addresses.length === 0) return `has no address in DNS: ${host}`;
  const forbidden = addresses.find((address) => guard.isPrivate(address) && !guard.isAllowed(address));
  if (forbidden)
    return `leads to ${forbidden}, which is a private address. Use a URL that can be reached from the internet`;
  if (url.protocol !== 'https:' && !addresses.every(guard.isAllowed)) return 'must begin with https://';
  return null;
}
