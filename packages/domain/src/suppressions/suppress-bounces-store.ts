import { type BounceClass, bounceClasses } from '@posthorn/contract';
import { SYSTEM_WORKSPACE_ID } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { DAY_MS } from '@posthorn/platform/values';

/** When bounces of one class suppress the address. */
type BouncePolicy = {
  /** How many bounces it takes. */
  readonly bounces: number;
  /** A bounce that follows the last one that counted by less than this does not count. */
  readonly hoursApart: number;
};

/** How long bounces that counted are kept. */
export const REMEMBERED_DAYS = 30;

/**
 * Only two classes say that the mailbox will never work again, so only they suppress at once. A domain or a full
 * mailbox can recover, so the address must bounce again later. All other classes say nothing about the address, and
 * never suppress it.
 */
export const bouncePolicies: { readonly [Class in BounceClass]?: BouncePolicy } = {
  bad_mailbox: { bounces: 1, hoursApart: 0 },
  inactive: { bounces: 1, hoursApart: 0 },
  bad_domain: { bounces: 2, hoursApart: 24 },
  mailbox_full: { bounces: 4, hoursApart: 72 },
};

/** Whether bounces of this class can suppress the address. */
export function canSuppress(bounceClass: BounceClass): boolean {
  return bounceClass in bouncePolicies;
}

/** The classes that say something about the recipient, and not about us or the moment. */
export const recipientBounceClasses: readonly BounceClass[] = bounceClasses.filter(canSuppress);

/** A bounce that may be wrong, for example because it was read from prose, must be reported again. */
const uncertainBouncePolicy: BouncePolicy = { bounces: 2, hoursApart: 24 };
const UNCERTAIN = 'uncertain';

/** The class that decides how often a bounce that may be wrong must be repeated. */
export function toUncertainBounceClass(bounceClass: BounceClass | null): string | null {
  return bounceClass !== null && bouncePolicies[bounceClass]?.bounces === 1 ? UNCERTAIN : bounceClass;
}

const policyRows = Object.entries({ ...bouncePolicies, [UNCERTAIN]: uncertainBouncePolicy }).map(
  ([name, { bounces, hoursApart }]) => `('${name}', ${bounces}, interval '${hoursApart} hours')`,
);

/**
 * SQL: common table expressions that suppress addresses according to `bouncePolicies`.
 * @param bounces the name of a table expression with the columns id (of the new suppression), workspace_id, address
 *   (in lower case), bounce_class, email_id and detail
 */
export function suppressBouncesSql(bounces: string): string {
  return `
  policies (bounce_class, needed, apart) as (values ${policyRows.join(', ')}),
  suppressing as materialized (
    select distinct on (bounced.workspace_id, bounced.address, bounced.bounce_class) bounced.*, needed,
      (
        select count(*) from soft_bounces as earlier
        where earlier.workspace_id = bounced.workspace_id and earlier.address = bounced.address
          and earlier.bounce_class = bounced.bounce_class and bounced_at > now() - interval '${REMEMBERED_DAYS} days'
      ) as earlier_bounces,
      exists (
        select from soft_bounces as earlier
        where earlier.workspace_id = bounced.workspace_id and earlier.address = bounced.address
          and earlier.bounce_class = bounced.bounce_class and bounced_at > now() - apart
      ) as is_too_soon
    from ${bounces} as bounced join policies using (bounce_class)
    where bounced.workspace_id <> '${SYSTEM_WORKSPACE_ID}'
    order by bounced.workspace_id, bounced.address, bounced.bounce_class
  ),
  new_soft_bounces as (
    insert into soft_bounces (workspace_id, address, bounce_class)
    select workspace_id, address, bounce_class from suppressing where needed > 1 and not is_too_soon
    on conflict do nothing
  ),
  new_suppressions as (
    insert into suppressions (id, workspace_id, address, reason, email_id, detail)
    select id, workspace_id, address, 'hard_bounce', email_id, detail from suppressing
    where earlier_bounces + (not is_too_soon)::int >= needed
    order by workspace_id, address
    on conflict (workspace_id, address, topic, reason) where address is not null do nothing
  )`;
}

/** Forgets bounces that no longer count. @param now the time according to Postgres */
export async function deleteOldBounces({ db }: Pick<Context, 'db'>, now: Date): Promise<void> {
  const before = new Date(now.getTime() - REMEMBERED_DAYS * DAY_MS);
  await db('soft_bounces').where('bounced_at', '<', before).delete();
}
