import type { Context } from '@posthorn/platform';
import { type DomainKey, listDomainKeys } from './dkim-key-store.js';
import { computeRetirementCutoff, ensureActiveKey } from './dkim-keys.js';
import { buildDnsRecords, type DnsRecord } from './dns-records.js';
import { type Finding, notChecked, type SendingDomain } from './sending-domain.js';

/** A record, and what the last checks found for it. */
export type CheckedRecord = DnsRecord & { readonly finding: Finding };

export type DescribedDomain = SendingDomain & {
  readonly records: readonly CheckedRecord[];
  /** Whether this server can record opens and clicks. */
  readonly canTrack: boolean;
};

/** Adds the DNS records that each domain needs, and what the server can do for it. */
export async function describeDomains(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  domains: readonly SendingDomain[],
): Promise<DescribedDomain[]> {
  const keys = await listOrCreateKeys(ctx, domains);
  return domains.map((domain) => {
    const own = keys.filter(({ domainId }) => domainId === domain.id);
    const records = buildDnsRecords(domain, own, ctx.config);
    return {
      ...domain,
      canTrack: ctx.config.trackingUrl !== null,
      records: records.map((record) => ({ ...record, finding: domain.findings[record.key] ?? notChecked })),
    };
  });
}

async function listOrCreateKeys(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  domains: readonly SendingDomain[],
): Promise<DomainKey[]> {
  const ids = domains.map(({ id }) => id);
  const retiredAfter = computeRetirementCutoff(ctx.now());
  const existing = await listDomainKeys(ctx.db, ids, retiredAfter);
  const withoutKey = ids.filter((id) => !existing.some(({ domainId }) => domainId === id));
  if (withoutKey.length === 0) return existing;
  // Keys are created one after the other, because each one occupies a thread for a few tenths of a second.
  for (const id of withoutKey) await ensureActiveKey(ctx, id);
  return listDomainKeys(ctx.db, ids, retiredAfter);
}
