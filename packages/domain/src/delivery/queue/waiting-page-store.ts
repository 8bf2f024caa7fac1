import type { Knex } from 'knex';

/** Which unfinished emails a command of the operator is about. null means any. */
export type WaitingFilter = {
  /** Emails that were to be sent before this time: their `scheduled_at`, or when they were accepted. */
  readonly before: Date | null;
  /** A live workspace. Its test mail belongs to it. */
  readonly workspaceId: string | null;
};

export type WaitingEmail = { readonly id: string; readonly isBeingSent: boolean; readonly isAmbiguous: boolean };

/** `last` is the id from which the next page continues; null after the last page. */
export type WaitingPage = { readonly emails: readonly WaitingEmail[]; readonly last: string | null };

type PageOptions = {
  readonly after: string;
  readonly size: number;
  readonly onlyParked: boolean;
  readonly filter: WaitingFilter;
};

/**
 * One page of the queue, in id order. It looks at no more than `size` entries, so that a statement is short even if the
 * queue is long and few emails match.
 */
export async function readWaitingPage(
  db: Knex,
  { after, size, onlyParked, filter }: PageOptions,
): Promise<WaitingPage> {
  const { rows } = await db.raw(
    `with page as materialized (
       select email_id, workspace_id, lease_until, ambiguous_attempts from deliveries
       where email_id > :after ${onlyParked ? 'and is_due is null' : ''} order by email_id limit :size
     )
     select email_id as id, lease_until is not null as "isBeingSent", ambiguous_attempts > 0 as "isAmbiguous",
       (:before::timestamptz is null or coalesce(scheduled_at, created_at) < :before)
         and (
           :workspaceId::uuid is null
           or page.workspace_id in (select id from workspaces where :workspaceId in (id, test_of))
         ) as matches
     from page join emails on emails.workspace_id = page.workspace_id and emails.id = email_id
     order by email_id`,
    { after, size, ...filter } as Record<string, Knex.Value>,
  );
  return {
    emails: rows.filter(({ matches }: { matches: boolean }) => matches),
    last: rows.length < size ? null : rows.at(-1).id,
  };
}
