import { type Evaluation, missing, verified, wrong } from '../domain/finding.js';
import { isSpfTerm } from './spf-grammar.js';
import { hasStoredQuotes, storedQuotes } from './stored-quotes.js';

/** RFC 7208, 4.5: what begins otherwise is no record. */
const RECORD = /^v=spf1( |$)/i;

/** What somebody meant for one. */
const LOOKALIKE = /^[\s"]*v=spf1(\s|"|$)/i;

/**
 * RFC 7208: there is exactly one record (4.5), all of its terms are known (4.6), and it names the
 * platform's before a term that matches everybody (5.1).
 */
export function evaluateSpf(wanted: string, values: readonly string[]): Evaluation {
  const records = values.filter((value) => RECORD.test(value));
  if (records.length > 1) return wrong(`There are ${records.length} SPF records, which voids all of them; keep one.`);
  const [record] = records;
  if (record === undefined) return faultWithout(values);
  if (hasStoredQuotes(record)) return storedQuotes;
  const [, ...terms] = record.split(' ').filter(Boolean);
  const fault = syntaxFault(terms) ?? includeFault(terms, wanted);
  return fault === null ? verified : wrong(fault);
}

function faultWithout(values: readonly string[]): Evaluation {
  const meant = values.find((value) => LOOKALIKE.test(value));
  if (meant === undefined) return missing('There is no SPF record among the values; add it.');
  return hasStoredQuotes(meant)
    ? storedQuotes
    : wrong('Receivers pass over an SPF record that does not begin with v=spf1 and a space; paste it anew.');
}

/** For which receivers throw the whole record away (RFC 7208, 4.6 and 6). */
function syntaxFault(terms: readonly string[]): string | null {
  const unknown = terms.find((term) => !isSpfTerm(term));
  if (unknown !== undefined) {
    return /\s/.test(unknown)
      ? 'Between its terms must stand spaces, not tabs or line breaks, which void the record.'
      : `It has the term ${unknown}, which is not valid and voids the record; correct or remove it.`;
  }
  const doubled = ['redirect=', 'exp='].find((name) => terms.filter((term) => startsWith(term, name)).length > 1);
  return doubled ? `It has ${doubled} twice, which voids the record; keep one.` : null;
}

function includeFault(terms: readonly string[], wanted: string): string | null {
  const include = wanted.split(' ').find((term) => term.startsWith('include:')) ?? '';
  const named = terms.map((term) => term.toLowerCase().replace(/\.$/, ''));
  const ours = named.findIndex((term) => term === include || term === `+${include}`);
  const all = named.findIndex((term) => /^[+?~-]?all$/.test(term));
  const qualified = named.find((term) => /^[?~-]/.test(term) && term.slice(1) === include);
  if (ours === -1 && qualified) return `It says ${qualified}, which lets nobody send; write ${include} instead.`;
  if (ours === -1) return `It lacks ${include}; add that in front of the term that ends in "all".`;
  return all !== -1 && all < ours ? `Put ${include} in front of ${terms[all]}, after which nothing counts.` : null;
}

function startsWith(term: string, name: string): boolean {
  return term.toLowerCase().startsWith(name);
}
