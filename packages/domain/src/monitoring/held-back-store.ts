import { WAITS } from '@posthorn/domain/delivery';
import { parseWaitsFor, type StoredWait } from '@posthorn/domain/emails';
import type { Knex } from 'knex';

/** Emails that wait for a limit or a route although they are due. Each count stops at 1,000. */
export type HeldBack = {
  readonly kind: ReturnType<typeof parseWaitsFor>['kind'];
  /** The route, the relay, or `<relay>/<site>/<key of the site>`. */
  readonly name: string;
  readonly emails: number;
  readonly oldestSeconds: number;
};

const MAX_WAITS = 500;
const MAX_COUNTED = 1_000;

export async function readHeldBack(db: Knex): Promise<HeldBack[]> {
  const { rows } = await db.raw(
    `with recursive ${WAITS}
     select waits.waits_for as "waitsFor", counted.emails, extract(epoch from now() - oldest)::int as "oldestSeconds"
     from (select waits_for from waits limit ${MAX_WAITS}) as waits, lateral (
       select count(*)::int as emails, min(due_at) as oldest from (
         select due_at from deliveries
         where is_due and lease_until is null and waits_for is not null and deliveries.waits_for = waits.waits_for
         limit ${MAX_COUNTED}
       ) as each
     ) as counted`,
  );
  return rows.map(
    ({ waitsFor, emails, oldestSeconds }: { waitsFor: StoredWait } & Pick<HeldBack, 'emails' | 'oldestSeconds'>) => {
      const { kind, name } = parseWaitsFor(waitsFor);
      return { kind, name, emails, oldestSeconds: Math.max(0, oldestSeconds) };
    },
  );
}

/** The oldest email of each kind, in seconds. */
export function findOldestByKind(heldBack: readonly HeldBack[]): Record<string, number> {
  const oldest: Record<string, number> = {};
  for (const { kind, oldestSeconds } of heldBack) oldest[kind] = Math.max(oldest[kind] ?? 0, oldestSeconds);
  return oldest;
}

/** Metrics have a series for so many sites, and one for all others. */
const MAX_SITES = 50;

/** The emails that wait for each site that mail goes straight to: the sites with the most, and `other`. */
export function countBySite(heldBack: readonly HeldBack[]): Record<string, number> {
  const bySite = new Map<string, number>();
  for (const { name, emails } of heldBack) {
    const [, site] = name.split('/');
    if (site !== undefined) bySite.set(site, (bySite.get(site) ?? 0) + emails);
  }
  return keepLargest(bySite);
}

/** @returns the largest values, and the sum of the others as `other` */
export function keepLargest(values: ReadonlyMap<string, number>): Record<string, number> {
  const sorted = [...values].toSorted(([, a], [, b]) => b - a);
  const others = sorted.slice(MAX_SITES);
  const other = others.reduce((sum, [, value]) => sum + value, 0);
  return { ...Object.fromEntries(sorted.slice(0, MAX_SITES)), ...(others.length > 0 && { other }) };
}
