import { isIPv4, isIPv6 } from 'node:net';

const MACRO = String.raw`%\{[slodiphcrtv]\d*r?[-.+,/_=]*\}|%[%_-]`;
const LITERAL = '[!-$&-~]';
const TOP_LABEL = String.raw`\.(?!\d+\.?(?:/|$))[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.?`;
/** RFC 7208, 7.1 */
const DOMAIN_SPEC = `(?:${MACRO}|${LITERAL})*(?:${TOP_LABEL}|${MACRO})`;
const CIDR = String.raw`(?:/(?<four>\d+))?(?://(?<six>\d+))?`;

const MECHANISMS = [
  /^all$/i,
  new RegExp(`^(?:include|exists):${DOMAIN_SPEC}$`, 'i'),
  new RegExp(`^(?:a|mx)(?::${DOMAIN_SPEC})?${CIDR}$`, 'i'),
  new RegExp(`^ptr(?::${DOMAIN_SPEC})?$`, 'i'),
  /^ip4:(?<address>[^/%]+)(?:\/(?<four>\d+))?$/i,
  /^ip6:(?<address>[^/%]+)(?:\/(?<six>\d+))?$/i,
];

/** Only these two modifiers must have a domain. Receivers ignore any other modifier (RFC 7208, 6). */
const KNOWN_MODIFIER = new RegExp(`^(?:redirect|exp)=${DOMAIN_SPEC}$`, 'i');
const OTHER_MODIFIER = new RegExp(`^(?!redirect=|exp=)[a-z][\\w.-]*=(?:${MACRO}|${LITERAL})*$`, 'i');

/** Whether a term of an SPF record is a valid directive or modifier (RFC 7208, 12). */
export function isSpfTerm(term: string): boolean {
  if (KNOWN_MODIFIER.test(term) || OTHER_MODIFIER.test(term)) return true;
  const mechanism = term.replace(/^[+?~-]/, '');
  return MECHANISMS.some((pattern) => {
    const found = pattern.exec(mechanism);
    return found !== null && areInRange(found.groups ?? {}, mechanism);
  });
}

function areInRange({ address, four, six }: Partial<Record<string, string>>, mechanism: string): boolean {
  const isAddress = /^ip4:/i.test(mechanism) ? isIPv4 : isIPv6;
  return (address === undefined || isAddress(address)) && isPrefix(four, 32) && isPrefix(six, 128);
}

function isPrefix(bits: string | undefined, limit: number): boolean {
  return bits === undefined || (/^(0|[1-9]\d*)$/.test(bits) && Number(bits) <= limit);
}
