import type { BounceClass } from '@posthorn/contract';
import { parseReport } from '@posthorn/feedback';
import type { GeneratedBounce } from './generate-bounces.js';
import type { Reading } from './oracles.js';

/** @returns what our parser reads wrongly in a bounce; null if it is right */
export async function findOwnFault({ raw, action, recipients }: GeneratedBounce): Promise<string | null> {
  const report = await parseReport(raw);
  if (report.kind !== 'dsn') return `is read as ${report.kind}`;
  const toText = (address: string | null, done: string, bounceClass: BounceClass | null) =>
    `${address?.toLowerCase()} ${done} ${bounceClass}`;
  const expected = [...recipients].map(([address, bounceClass]) => toText(address, action, bounceClass));
  const read = report.recipients.map((each) => toText(each.address, each.action, each.class));
  const wrong = read.filter((each) => !expected.includes(each));
  const missing = expected.filter((each) => !read.includes(each));
  if (wrong.length + missing.length === 0) return null;
  return `says ${wrong.join(', ') || 'nothing'} instead of ${missing.join(', ') || 'nothing'}`;
}

/** What a class or the reason of an oracle says about the mailbox. Everything else is about the message or about us. */
type Finding = 'dead' | 'full' | 'other';

const FINDINGS_BY_CLASS: Readonly<Partial<Record<BounceClass, Finding>>> = {
  bad_mailbox: 'dead',
  inactive: 'dead',
  bad_domain: 'dead',
  mailbox_full: 'full',
};

const FINDINGS_BY_REASON: Readonly<Record<string, Finding>> = {
  userunknown: 'dead',
  hasmoved: 'dead',
  hostunknown: 'dead',
  suspend: 'dead',
  mailboxfull: 'full',
};

/** Sisimai's word for a recipient who was refused after the server knew who it was, whatever the reason. */
const UNDECIDED = 'filtered';

/** @returns where an oracle disagrees with what is right about a bounce; null if it agrees */
export function findDisagreement(
  { action, recipients }: GeneratedBounce,
  readings: readonly Reading[],
): { readonly about: 'recipients' | 'reason'; readonly says: string } | null {
  const byAddress = new Map(readings.map((reading) => [reading.address.toLowerCase(), reading]));
  const isNamed = (address: string) => {
    const reading = byAddress.get(address.toLowerCase());
    return reading !== undefined && (reading.action === '' || reading.action === action);
  };
  const missing = [...recipients.keys()].filter((each) => !isNamed(each));
  if (missing.length > 0 || byAddress.size > recipients.size) {
    const says = readings.map((reading) => `${reading.address} ${reading.action}`).join(', ');
    return { about: 'recipients', says: says || 'no bounce' };
  }
  const others = [...recipients].flatMap(([address, bounceClass]) => {
    const { reason } = byAddress.get(address.toLowerCase()) as Reading;
    if (reason === null || bounceClass === null || reason === UNDECIDED) return [];
    const isSame = (FINDINGS_BY_CLASS[bounceClass] ?? 'other') === (FINDINGS_BY_REASON[reason] ?? 'other');
    return isSame ? [] : [`${address} ${reason} instead of ${bounceClass}`];
  });
  return others.length === 0 ? null : { about: 'reason', says: others.join(', ') };
}
