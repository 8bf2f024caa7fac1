import type { Context } from '../context.js';
import { type Finding, notChecked } from './domain/finding.js';
import type { SendingDomain } from './domain/sending-domain.js';
import type { DomainKey } from './keys/domain-key.js';
import { listDomainKeys } from './keys/domain-key-store.js';
import { ensureActiveKey } from './keys/ensure-active-key.js';
import { retirementCutoff } from './keys/published-keys.js';
import { type DnsRecord, recordsOf } from './records/dns-records.js';

/** A record, and what the last checks found of it. */
export type CheckedRecord = DnsRecord & { readonly finding: Finding };

export type DescribedDomain = SendingDomain & { readonly records: readonly CheckedRecord[] };

/** Domains with the records that belong into their DNS, in the same order. */
export async function describeDomains(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  domains: readonly SendingDomain[],
): Promise<DescribedDomain[]> {
  const keys = await keysOf(ctx, domains);
  return domains.map((domain) => {
    const own = keys.filter(({ domainId }) => domainId === domain.id);
    const records = recordsOf(domain, own, ctx.config.platformSenderDomain);
    return {
      ...domain,
      records: records.map((record) => ({ ...record, finding: domain.findings[record.key] ?? notChecked })),
    };
  });
}

async function keysOf(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  domains: readonly SendingDomain[],
): Promise<DomainKey[]> {
  const ids = domains.map(({ id }) => id);
  const retiredAfter = retirementCutoff(ctx.now());
  const known = await listDomainKeys(ctx.db, ids, retiredAfter);
  const without = ids.filter((id) => !known.some(({ domainId }) => domainId === id));
  if (without.length === 0) return known;
  // One after the other: each takes a thread for some tenths of a second.
  for (const id of without) await ensureActiveKey(ctx, id);
  return listDomainKeys(ctx.db, ids, retiredAfter);
}
