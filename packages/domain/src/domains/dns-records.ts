import type { KeyState, RecordKind } from '@posthorn/contract';
import type { Context } from '@posthorn/platform';
import type { Config } from '@posthorn/platform/config';
import type { DomainKey } from './dkim-key-store.js';
import { ensureActiveKey } from './dkim-keys.js';
import type { SendingDomain } from './sending-domain.js';
import { toTrackingHost } from './tracking-host.js';

const TTL_SECONDS = 3_600;
const MX_PRIORITY = 10;

/** A DNS record that a domain needs. */
export type DnsRecord = {
  /** The key of the record's finding: the kind, and for DKIM also the selector. */
  readonly key: string;
  readonly record: RecordKind;
  readonly type: 'TXT' | 'MX' | 'CNAME';
  /** Fully qualified, without a trailing dot. */
  readonly name: string;
  readonly value: string;
  readonly ttl: number;
  readonly priority: number | null;
  /** Whether the domain cannot be verified without this record. */
  readonly required: boolean;
  /** The state of the key that a DKIM record publishes; null for other records. */
  readonly keyState: KeyState | null;
};

/**
 * All DNS records that a sending domain needs or may have. The SPF and MX records are for the return path, which is a separate
 * subdomain, so they do not clash with existing records.
 */
export function buildDnsRecords(
  { name, ownershipToken }: Pick<SendingDomain, 'name' | 'ownershipToken'>,
  keys: readonly DomainKey[],
  { platformSenderDomain: platformDomain, trackingCname }: Pick<Config, 'platformSenderDomain' | 'trackingCname'>,
): DnsRecord[] {
  const returnPath = toReturnPathDomain(name);
  return [
    txtRecord('ownership', `_posthorn.${name}`, `posthorn-verification=${ownershipToken}`),
    ...keys.map((key) => buildDkimRecord(name, key)),
    txtRecord('spf', returnPath, spfIncluding(platformDomain)),
    mxRecord('return_path_mx', returnPath, toBounceHost(platformDomain)),
    { ...txtRecord('dmarc', `_dmarc.${name}`, 'v=DMARC1; p=none'), required: false },
    ...(trackingCname === null ? [] : [cnameRecord('tracking', toTrackingHost(name), trackingCname)]),
  ];
}

/** See RFC 6376, 3.6.1. Only the active key's record is required. */
export function buildDkimRecord(domain: string, { selector, state, publicKey }: DomainKey): DnsRecord {
  return {
    ...txtRecord('dkim', `${selector}._domainkey.${domain}`, `v=DKIM1; k=rsa; p=${publicKey}`),
    key: `dkim ${selector}`,
    required: state === 'active',
    keyState: state,
  };
}

function txtRecord(record: RecordKind, name: string, value: string): DnsRecord {
  return {
    key: record,
    record,
    type: 'TXT',
    name,
    value,
    ttl: TTL_SECONDS,
    priority: null,
    required: true,
    keyState: null,
  };
}

function mxRecord(record: RecordKind, name: string, host: string): DnsRecord {
  return { ...txtRecord(record, name, host), type: 'MX', priority: MX_PRIORITY };
}

function cnameRecord(record: RecordKind, name: string, host: string): DnsRecord {
  return { ...txtRecord(record, name, host), type: 'CNAME', required: false };
}

/** A TXT record consists of strings of at most this length (RFC 1035, 3.3.14). */
const MAX_STRING_BYTES = 255;

/** Splits an ASCII TXT value into the strings that a zone file needs. Software that reads the record joins them. */
export function splitText(value: string): string[] {
  return value.match(new RegExp(`.{1,${MAX_STRING_BYTES}}`, 'g')) ?? [''];
}

/**
 * The host of the envelope sender, where bounces for the domain's mail are sent. The host's SPF record aligns SPF with
 * `from_` (RFC 7489, 3.1.2), and its MX record points to the platform.
 */
export function toReturnPathDomain(name: string): string {
  return `bounces.${name}`;
}

/** The host that receives the bounces for all domains. The MX records of their return paths point to it. */
export function toBounceHost(platformDomain: string): string {
  return toReturnPathDomain(platformDomain);
}

/** The SPF record of the platform domain lists the hosts that send mail. The records of all return paths include it. */
function spfIncluding(platformDomain: string): string {
  return `v=spf1 include:${platformDomain} ~all`;
}

/** A DNS record of the platform domain. `note` says what else the operator has to do. */
type PlatformRecord = DnsRecord & { readonly note: string | null };

/**
 * All DNS records that the platform domain needs. Only the operator knows which hosts send mail, so the SPF record
 * contains the one host that we know, and the operator adds the others.
 */
export async function getPlatformRecords(ctx: Pick<Context, 'config' | 'db' | 'now'>): Promise<PlatformRecord[]> {
  return buildPlatformRecords(ctx.config, await ensureActiveKey(ctx, null));
}

/** @param key the platform domain's DKIM key; null if it has none yet */
export function buildPlatformRecords(
  { platformSenderDomain: name }: Pick<Config, 'platformSenderDomain'>,
  key: DomainKey | null,
): PlatformRecord[] {
  const returnPath = toReturnPathDomain(name);
  return [
    ...(key ? [{ ...buildDkimRecord(name, key), note: null }] : []),
    {
      ...txtRecord('spf', name, `v=spf1 a:${toBounceHost(name)} ~all`),
      note: 'Before ~all, add the hosts that your mail servers send from, such as ip4:192.0.2.1 or include:relay.example.',
    },
    { ...txtRecord('spf', returnPath, spfIncluding(name)), note: null },
    {
      ...mxRecord('return_path_mx', returnPath, toBounceHost(name)),
      note: 'This host also needs an A or AAAA record with the IP address that receives bounces.',
    },
    { ...txtRecord('dmarc', `_dmarc.${name}`, 'v=DMARC1; p=none'), required: false, note: null },
  ];
}
