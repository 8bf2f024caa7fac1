import { createPublicKey } from 'node:crypto';
import {
  type DnsRecord,
  describeDomains,
  getPlatformRecords,
  listAllDomains,
  type SigningKey,
  splitText,
} from '@posthorn/domain/domains';
import type { Context } from '@posthorn/platform';
import { authenticate } from 'mailauth';

const RELAY = '192.0.2.25';

export type Authentication = {
  readonly dkim: ReadonlyArray<{ readonly result: string; readonly domain: string; readonly selector?: string }>;
  readonly spf: string | undefined;
  readonly dmarc: string | undefined;
  /** The authentication methods that are aligned with From's domain. */
  readonly aligned: readonly string[];
};

export type ZoneRecord = Pick<DnsRecord, 'type' | 'name' | 'value'>;

/** Checks messages as a receiving server does, with code that is not ours. */
export function createReceiver(
  zone: readonly ZoneRecord[],
): (raw: Buffer, mailFrom: string) => Promise<Authentication> {
  const resolver = async (name: string, type: string): Promise<string[][]> => {
    const found = zone.filter((record) => record.type === type && record.name === name.toLowerCase());
    if (found.length === 0) throw Object.assign(new Error(`${name} has no ${type}`), { code: 'ENOTFOUND' });
    return found.map(({ value }) => splitText(value));
  };
  const connection = { ip: RELAY, helo: 'relay.example', mta: 'mx.example', resolver };
  return async (raw, mailFrom) => {
    const { dkim, spf, dmarc } = await authenticate(raw, {
      ...connection,
      sender: mailFrom,
      disableArc: true,
      disableBimi: true,
    });
    const { alignment } = (dmarc || {}) as { alignment?: Record<string, { result?: unknown }> };
    return {
      dkim: dkim.results.map(({ status, signingDomain, selector = '' }) => ({
        result: status.result,
        domain: signingDomain,
        selector,
      })),
      spf: spf ? spf.status.result : undefined,
      dmarc: dmarc ? dmarc.status.result : undefined,
      aligned: ['dkim', 'spf'].filter((method) => alignment?.[method]?.result),
    };
  };
}

/** The DKIM record of a key that belongs to none of Posthorn's domains. */
export function buildKeyRecord({ domain, selector, privateKey }: SigningKey): ZoneRecord {
  const publicKey = createPublicKey(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const der = publicKey.export({ format: 'der', type: 'spki' });
  return {
    type: 'TXT',
    name: `${selector}._domainkey.${domain}`,
    value: `v=DKIM1; k=rsa; p=${der.toString('base64')}`,
  };
}

/**
 * All records that Posthorn asks customers and the operator to publish, for these domains and the platform's. The
 * relay is added to the platform's SPF record, as the record's note tells the operator to do.
 */
export async function listPublishedRecords(ctx: Context, domainIds: readonly string[]): Promise<ZoneRecord[]> {
  const domains = (await listAllDomains(ctx.db)).filter(({ id }) => domainIds.includes(id));
  const own = (await describeDomains(ctx, domains)).flatMap(({ records }) => records);
  const platform = (await getPlatformRecords(ctx)).map((record) =>
    record.record === 'spf' && record.note
      ? { ...record, value: record.value.replace('~all', `ip4:${RELAY} ~all`) }
      : record,
  );
  return [...own, ...platform];
}
