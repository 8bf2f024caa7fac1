import type { KeyState, RecordKind } from '@posthorn/contract';
import type { Config } from '@posthorn/platform/config';
import type { SendingDomain } from '../domain/sending-domain.js';
import type { DomainKey } from '../keys/domain-key.js';
import { bounceHost, returnPathDomain, spfIncluding } from './return-path-hosts.js';
import { trackingHost } from './tracking-host.js';

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
export function recordsOf(
  { name, ownershipToken }: Pick<SendingDomain, 'name' | 'ownershipToken'>,
  keys: readonly DomainKey[],
  { platformSenderDomain: platformDomain, trackingCname }: Pick<Config, 'platformSenderDomain' | 'trackingCname'>,
): DnsRecord[] {
  const returnPath = returnPathDomain(name);
  return [
    txtRecord('ownership', `_posthorn.${name}`, `posthorn-verification=${ownershipToken}`),
    ...keys.map((key) => dkimRecord(name, key)),
    txtRecord('spf', returnPath, spfIncluding(platformDomain)),
    mxRecord('return_path_mx', returnPath, bounceHost(platformDomain)),
    { ...txtRecord('dmarc', `_dmarc.${name}`, 'v=DMARC1; p=none'), required: false },
    ...(trackingCname === null ? [] : [cnameRecord('tracking', trackingHost(name), trackingCname)]),
  ];
}

/** See RFC 6376, 3.6.1. Only the active key's record is required. */
export function dkimRecord(domain: string, { selector, state, publicKey }: DomainKey): DnsRecord {
  return {
    ...txtRecord('dkim', `${selector}._domainkey.${domain}`, `v=DKIM1; k=rsa; p=${publicKey}`),
    key: `dkim ${selector}`,
    required: state === 'active',
    keyState: state,
  };
}

export function txtRecord(record: RecordKind, name: string, value: string): DnsRecord {
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

export function mxRecord(record: RecordKind, name: string, host: string): DnsRecord {
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
