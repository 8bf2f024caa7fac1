import type { Knex } from 'knex';
import { DAY_MS } from '../../durations.js';
import { limits } from '../../limits.js';
import type { DomainKey } from './domain-key.js';
import { listDomainKeys } from './domain-key-store.js';

/** Mail that a retired key has signed may still be under way for some days, and is verified on arrival. */
export function retirementCutoff(now: Date): Date {
  return new Date(now.getTime() - limits.retiredKeyDays.max * DAY_MS);
}

/** Keys of a domain whose records belong into DNS, the active one first. */
export function listPublishedKeys(db: Knex, domainId: string, now: Date): Promise<DomainKey[]> {
  return listDomainKeys(db, [domainId], retirementCutoff(now));
}
