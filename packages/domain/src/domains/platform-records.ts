import type { Context } from '@posthorn/platform';
import type { Config } from '@posthorn/platform/config';
import type { DomainKey } from './keys/domain-key.js';
import { ensureActiveKey } from './keys/ensure-active-key.js';
import { type DnsRecord, dkimRecord, mxRecord, txtRecord } from './records/dns-records.js';
import { bounceHost, returnPathDomain, spfIncluding } from './records/return-path-hosts.js';

/** A DNS record of the platform domain. `note` says what else the operator has to do. */
export type PlatformRecord = DnsRecord & { readonly note: string | null };

/**
 * All DNS records that the platform domain needs. Only the operator knows which hosts send mail, so the SPF record
 * contains the one host that we know, and the operator adds the others.
 */
export async function platformRecords(ctx: Pick<Context, 'config' | 'db' | 'now'>): Promise<PlatformRecord[]> {
  return platformRecordsWith(ctx.config, await ensureActiveKey(ctx, null));
}

/** @param key the platform domain's DKIM key; null if it has none yet */
export function platformRecordsWith(
  { platformSenderDomain: name }: Pick<Config, 'platformSenderDomain'>,
  key: DomainKey | null,
): PlatformRecord[] {
  const returnPath = returnPathDomain(name);
  return [
    ...(key ? [{ ...dkimRecord(name, key), note: null }] : []),
    {
      ...txtRecord('spf', name, `v=spf1 a:${bounceHost(name)} ~all`),
      note: 'Before ~all, add the hosts that your mail servers send from, such as ip4:192.0.2.1 or include:relay.example.',
    },
    { ...txtRecord('spf', returnPath, spfIncluding(name)), note: null },
    {
      ...mxRecord('return_path_mx', returnPath, bounceHost(name)),
      note: 'This host also needs an A or AAAA record with the IP address that receives bounces.',
    },
    { ...txtRecord('dmarc', `_dmarc.${name}`, 'v=DMARC1; p=none'), required: false, note: null },
  ];
}
