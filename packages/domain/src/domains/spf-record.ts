import { isIPv4, isIPv6 } from 'node:net';
import { missing, type RecordEvaluation, verified, wrong } from './sending-domain.js';
import { hasStoredQuotes, storedQuotes } from './txt-tags.js';

/** Text that begins differently is not an SPF record (RFC 7208, 4.5). */
const RECORD = /^v=spf1( |$)/i;

export function isSpfRecord(value: string): boolean {
  return RECORD.test(value);
}

/** Names in DNS have no case, and may end in a dot. */
export function normalizeHost(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** A term that matches every host. Receivers read nothing after it, and no `redirect` (RFC 7208, 5.1 and 6.1). */
export function isAll(term: string): boolean {
  return /^[+?~-]?all$/i.test(term);
}

/** Text that was probably meant to be a record. */
const LOOKALIKE = /^[\s"']*v\s*[=:]\s*spf1(?!\d)/i;

/**
 * There must be exactly one record (RFC 7208, 4.5) with only valid terms (4.6), and it must include the platform's
 * record before a term that matches every host (5.1).
 */
export function evaluateSpf(expected: string, values: readonly string[]): RecordEvaluation {
  const records = values.filter(isSpfRecord);
  if (records.length > 1)
    return wrong(`There are ${records.length} SPF records, which makes all of them invalid. Keep only one.`);
  const [record] = records;
  if (record === undefined) return evaluateWithoutRecord(values);
  if (hasStoredQuotes(record)) return storedQuotes;
  const terms = splitTerms(record);
  const fault = findSyntaxFault(terms) ?? includeFault(terms, expected);
  return fault === null ? verified : wrong(fault);
}

function evaluateWithoutRecord(values: readonly string[]): RecordEvaluation {
  const lookalike = values.find((value) => LOOKALIKE.test(value));
  if (lookalike === undefined) return missing('There is no SPF record among the TXT records. Add it.');
  return hasStoredQuotes(lookalike)
    ? storedQuotes
    : wrong('Receivers ignore an SPF record that does not begin with v=spf1 and a space. Paste the value again.');
}

export function splitTerms(record: string): string[] {
  return record.split(' ').filter(Boolean).slice(1);
}

/** Finds a fault that makes receivers reject the whole record (RFC 7208, 4.6 and 6). */
export function findSyntaxFault(terms: readonly string[]): string | null {
  const unknown = terms.find((term) => !isSpfTerm(term));
  if (unknown !== undefined) {
    return /\s/.test(unknown)
      ? 'Its terms must be separated by spaces. Tabs and line breaks make the record invalid.'
      : `It contains the term ${unknown}, which makes the record invalid. Correct or remove it.`;
  }
  const doubled = ['redirect=', 'exp='].find((name) => terms.filter((term) => startsWith(term, name)).length > 1);
  return doubled ? `${doubled} appears twice, which makes the record invalid. Keep only one.` : null;
}

function includeFault(terms: readonly string[], expected: string): string | null {
  const include = expected.split(' ').find((term) => term.startsWith('include:')) ?? '';
  const normalized = terms.map(normalizeHost);
  const ours = normalized.findIndex((term) => term === include || term === `+${include}`);
  const all = normalized.findIndex(isAll);
  const qualified = normalized.find((term) => /^[?~-]/.test(term) && term.slice(1) === include);
  if (ours === -1 && qualified) return `It has ${qualified}, which allows no server to send. Write ${include} instead.`;
  if (ours === -1) return `It does not have ${include}. Add it before the term that ends in "all".`;
  return all !== -1 && all < ours
    ? `Put ${include} before ${terms[all]}, because receivers ignore everything after that term.`
    : null;
}

function startsWith(term: string, name: string): boolean {
  return term.toLowerCase().startsWith(name);
}

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
function isSpfTerm(term: string): boolean {
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
