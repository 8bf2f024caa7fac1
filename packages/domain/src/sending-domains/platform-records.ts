import type { Context } from '../context.js';
import { ensureActiveKey } from './keys/ensure-active-key.js';
import { type DnsRecord, dkimRecord, mxRecord, txtRecord } from './records/dns-records.js';
import { bounceHost, returnPathDomain, spfIncluding } from './records/return-path-hosts.js';

/** A record of the platform domain; `note` says what it needs beside pasting. */
export type PlatformRecord = DnsRecord & { readonly note: string | null };

/**
 * Everything that belongs into the DNS of the platform domain. Which hosts send is known to the operator
 * alone; the SPF record begins with the one that is known, to which more can be added.
 */
export async function platformRecords(ctx: Pick<Context, 'config' | 'db' | 'now'>): Promise<PlatformRecord[]> {
  const { platformSenderDomain: name } = ctx.config;
  const key = await ensureActiveKey(ctx, null);
  const returnPath = returnPathDomain(name);
  return [
    ...(key ? [{ ...dkimRecord(name, key), note: null }] : []),
    {
      ...txtRecord('spf', name, `v=spf1 a:${bounceHost(name)} ~all`),
      note: 'In front of ~all add what your mail servers send from, such as ip4:192.0.2.1 or include:relay.example.',
    },
    { ...txtRecord('spf', returnPath, spfIncluding(name)), note: null },
    {
      ...mxRecord('return_path_mx', returnPath, bounceHost(name)),
      note: 'Also needs an A or AAAA record: the address that takes bounces.',
    },
    { ...txtRecord('dmarc', `_dmarc.${name}`, 'v=DMARC1; p=none'), required: false, note: null },
  ];
}
