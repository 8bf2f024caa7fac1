import { missing, type RecordEvaluation, verified, wrong } from './sending-domain.js';
import { hasStoredBackslashes, hasStoredQuotes, parseTxtTags, storedBackslashes, storedQuotes } from './txt-tags.js';

const POLICIES = ['none', 'quarantine', 'reject'];

/** Where reports go, with a size that may follow (RFC 7489, 6.2). */
const REPORT_URI = /^(?:mailto:[^\s@!]+@[^\s@!]+|(?!mailto:)[a-z][a-z\d+.-]*:[^\s!]+)(?:!\d+[kmgt]?)?$/i;

/** A record begins with exactly this version; any other text is not a DMARC record (RFC 7489, 6.4). */
const RECORD = /^v[ \t]*=[ \t]*DMARC1[ \t]*(;|$)/;

/** Text that was probably meant to be a record. */
const LOOKALIKE = /^[\s"']*(?:v\s*=\s*)?DMARC1\b|;\s*v\s*=\s*DMARC1\b/i;
const WITHOUT_SEMICOLON = /^v[ \t]*=[ \t]*DMARC1\b/;

/** There must be exactly one record, with any policy (RFC 7489, 6.3 and 6.6.3). */
export function evaluateDmarc(values: readonly string[]): RecordEvaluation {
  const records = values.filter((value) => RECORD.test(value));
  if (records.length > 1)
    return wrong(`There are ${records.length} DMARC records, so receivers ignore all of them. Keep only one.`);
  const [record] = records;
  return record === undefined ? evaluateWithoutRecord(values) : evaluateRecord(record);
}

function evaluateWithoutRecord(values: readonly string[]): RecordEvaluation {
  const lookalike = values.find((value) => LOOKALIKE.test(value));
  if (lookalike === undefined)
    return missing('There is no DMARC record. Add one, because receivers trust mail less without one.');
  if (hasStoredQuotes(lookalike)) return storedQuotes;
  if (hasStoredBackslashes(lookalike)) return storedBackslashes;
  return WITHOUT_SEMICOLON.test(lookalike)
    ? wrong('Receivers ignore a DMARC record without a semicolon after v=DMARC1. Put one after each tag.')
    : wrong('Receivers ignore a DMARC record that does not begin with exactly v=DMARC1. Fix the start of the record.');
}

function evaluateRecord(record: string): RecordEvaluation {
  if (hasStoredQuotes(record)) return storedQuotes;
  if (hasStoredBackslashes(record)) return storedBackslashes;
  const list = parseTxtTags(record);
  if ('fault' in list) return wrong(list.fault);
  // Policy names are case-insensitive (RFC 5234, 2.3).
  const policy = list.tags.get('p')?.toLowerCase();
  if (policy !== undefined && POLICIES.includes(policy)) return verified;
  // Receivers that find an address for reports then assume p=none (RFC 7489, 6.6.3).
  const reports = (list.tags.get('rua') ?? '').split(',');
  return reports.some((uri) => REPORT_URI.test(uri.trim()))
    ? verified
    : wrong('The p= tag must be none, quarantine or reject.');
}
