import { createPublicKey } from 'node:crypto';
import {
  type Context,
  type DnsRecord,
  describeDomains,
  listAllDomains,
  platformRecords,
  type SigningKey,
  splitText,
} from '@posthorn/domain';
import { authenticate } from 'mailauth';

/** The address of the relay that mail comes from. */
const RELAY = '192.0.2.25';

export type Verdict = {
  /** Of every signature that the message bears. */
  readonly dkim: ReadonlyArray<{ readonly result: string; readonly domain: string; readonly selector?: string }>;
  readonly spf: string | undefined;
  readonly dmarc: string | undefined;
  /** Names of what speaks for the domain of From. */
  readonly aligned: readonly string[];
};

/** What the receiver's DNS holds. */
export type ZoneRecord = Pick<DnsRecord, 'type' | 'name' | 'value'>;

/** What a receiving server makes of messages, judged by code that is not ours. */
export function openReceiver(zone: readonly ZoneRecord[]): (raw: Buffer, mailFrom: string) => Promise<Verdict> {
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

/** Of a key that no domain of the service has. */
export function keyRecord({ domain, selector, privateKey }: SigningKey): ZoneRecord {
  const publicKey = createPublicKey(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const der = publicKey.export({ format: 'der', type: 'spki' });
  return {
    type: 'TXT',
    name: `${selector}._domainkey.${domain}`,
    value: `v=DKIM1; k=rsa; p=${der.toString('base64')}`,
  };
}

/**
 * Everything that Posthorn tells people to publish for these domains and for the platform's, and in the
 * platform's SPF record the relay, as its note tells the operator.
 */
export async function publishedZone(ctx: Context, domainIds: readonly string[]): Promise<ZoneRecord[]> {
  const domains = (await listAllDomains(ctx.db)).filter(({ id }) => domainIds.includes(id));
  const own = (await describeDomains(ctx, domains)).flatMap(({ records }) => records);
  const platform = (await platformRecords(ctx)).map((record) =>
    record.record === 'spf' && record.note
      ? { ...record, value: record.value.replace('~all', `ip4:${RELAY} ~all`) }
      : record,
  );
  return [...own, ...platform];
}
