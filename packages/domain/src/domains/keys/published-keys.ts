import { limits } from '@posthorn/domain/limits';
import { DAY_MS } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import type { DomainKey } from './domain-key.js';
import { listDomainKeys } from './domain-key-store.js';

/** The records of retired keys stay in DNS, because mail signed with these keys may arrive days later. */
export function retirementCutoff(now: Date): Date {
  return new Date(now.getTime() - limits.retiredKeyDays.max * DAY_MS);
}

/** The keys of a domain that must have a record in DNS, the active one first. */
export function listPublishedKeys(db: Knex, domainId: string, now: Date): Promise<DomainKey[]> {
  return listDomainKeys(db, [domainId], retirementCutoff(now));
}
