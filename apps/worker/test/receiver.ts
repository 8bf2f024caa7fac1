import { createPublicKey } from 'node:crypto';
import { returnPathDomain, type SigningKey } from '@posthorn/domain';
import { authenticate } from 'mailauth';

/** The address of the relay, in the SPF records of all domains. */
const RELAY = '192.0.2.25';

export type Verdict = {
  /** Of every signature that the message bears. */
  readonly dkim: ReadonlyArray<{ readonly result: string; readonly domain: string; readonly selector?: string }>;
  readonly spf: string | undefined;
  readonly dmarc: string | undefined;
  /** Names of what speaks for the domain of From. */
  readonly aligned: readonly string[];
};

/**
 * What a receiving server makes of messages, judged by code that is not ours. Its DNS holds the records
 * of the domains whose keys are given: strict alignment for DKIM, the usual relaxed one for SPF.
 */
export function openReceiver(keys: readonly SigningKey[]): (raw: Buffer, mailFrom: string) => Promise<Verdict> {
  const records = new Map(keys.flatMap(recordsOf));
  const resolver = async (name: string, type: string): Promise<string[][]> => {
    const text = type === 'TXT' ? records.get(name.toLowerCase()) : undefined;
    if (text === undefined) throw Object.assign(new Error(`${name} has no ${type}`), { code: 'ENOTFOUND' });
    return [[text]];
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

function recordsOf({ domain, selector, privateKey }: SigningKey): Array<[name: string, text: string]> {
  const publicKey = createPublicKey(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const der = publicKey.export({ format: 'der', type: 'spki' });
  return [
    [`${selector}._domainkey.${domain}`, `v=DKIM1; k=rsa; p=${der.toString('base64')}`],
    [returnPathDomain(domain), `v=spf1 ip4:${RELAY} -all`],
    [`_dmarc.${domain}`, 'v=DMARC1; p=reject; adkim=s; aspf=r'],
  ];
}
