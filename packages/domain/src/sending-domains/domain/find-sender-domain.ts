import type { Context } from '../../context.js';
import { grouped } from '../../grouping.js';
import { type AskedSender, readSenderDomains, type SenderDomain } from './domain-store.js';

export type FindSenderDomain = (asked: AskedSender) => Promise<SenderDomain>;

/** Looks up the senders of many requests at once. */
export function senderDomainFinder({ db }: Pick<Context, 'db'>): FindSenderDomain {
  return grouped((asked: AskedSender[]) => readSenderDomains(db, asked), { max: 100, inFlight: 2 });
}
