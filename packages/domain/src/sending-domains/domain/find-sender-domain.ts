import type { Context } from '../../context.js';
import { grouped } from '../../grouping.js';
import { readSenderDomains, type SenderDomain, type SenderQuery } from './domain-store.js';

export type FindSenderDomain = (query: SenderQuery) => Promise<SenderDomain>;

/** Looks up the senders of many requests in one query. */
export function senderDomainFinder({ db }: Pick<Context, 'db'>): FindSenderDomain {
  return grouped((queries: SenderQuery[]) => readSenderDomains(db, queries), { max: 100, inFlight: 2 });
}
