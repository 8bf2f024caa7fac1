import type { EmailOrigin } from '@posthorn/domain/emails';
import { limits } from '@posthorn/domain/limits';
import { type Db, inPipeline, type Statement } from '@posthorn/platform/postgres';
import { claim, claimSql } from './claim-store.js';
import type { ClaimedEmail } from './claimed-email.js';
import { IS_UNDERSTOOD, IS_UNSENT } from './needs.js';
import { SEND_BEFORE } from './send-before.js';
import { WORKSPACES_WITH_DUE } from './workspaces-with-due.js';

/** How to claim emails of one kind: many in one statement, or one at a time after their ids have been found. */
type Statements = { readonly claimMany: Statement; readonly find: Statement; readonly claimOne: Statement };

/**
 * @param many selects many emails, like `due` in `claimSql`
 * @param isDue the condition that one email must meet
 * @param lease the parameter of `claimMany` with the lease in seconds, which follows the parameters of `many`
 */
function statementsFor(
  name: string,
  { many, isDue, lease, reclaims }: { many: string; isDue: string; lease: string; reclaims: boolean },
): Statements {
  const one = `due as (
    select email_id, claimed_at, ${IS_UNSENT} as is_unsent from deliveries where email_id = $1::uuid and ${isDue} for update skip locked
  )`;
  return {
    claimMany: { name: `claim_${name}`, text: claimSql(many, { lease, reclaims }) },
    find: { name: `find_${name}`, text: `with recursive ${many} select email_id as id from due` },
    claimOne: { name: `claim_one_${name}`, text: claimSql(one, { lease: '$2', reclaims }) },
  };
}

/** An email that this version does not understand waits for a newer worker. */
const isDue = `is_due and lease_until is null and ${IS_UNDERSTOOD}`;

/**
 * Each workspace with due emails gets the same share, so that a flood from one does not delay the rest. Workspaces
 * without a delivery on this worker come first; apart from that, the order is random. Parameter 4 is the workspaces whose
 * queue is paused.
 */
const dueSql = (condition = 'true') => `${WORKSPACES_WITH_DUE},
    tenants as materialized (
      select workspace_id, workspace_id = any($2::uuid[]) as is_holder
      from with_due
      where not ($3::boolean and workspace_id = any($2::uuid[])) and workspace_id <> all($4::uuid[])
    ),
    share as (
      select case when $3 then 1 else ceil($1::float / greatest(1, count(*)))::int end as size from tenants
    ),
    due as (
      select waiting.email_id
      from (select workspace_id from tenants order by is_holder, random()) as tenant,
      lateral (
        select email_id from deliveries
        where ${isDue} and workspace_id = tenant.workspace_id and ${condition}
        order by workspace_id, priority, due_at limit (select size from share) for update skip locked
      ) as waiting
      limit $1::int
    )`;

const DUE = statementsFor('due', { many: dueSql(), isDue, lease: '$5', reclaims: false });
/**
 * Like DUE, for an email that will probe a relay. It must not be late, because late emails are ended without using one.
 */
const PROBE = statementsFor('probe', { many: dueSql(`${SEND_BEFORE} > now()`), isDue, lease: '$5', reclaims: false });

export type DueClaim = {
  readonly limit: number;
  /** Workspaces that already hold a slot on this worker. They come last. */
  readonly holders: readonly string[];
  /** Workspaces whose queue is paused. */
  readonly paused?: readonly string[];
  /** Whether to claim no email for the holders, and only one for every other workspace. */
  readonly onlyOthers: boolean;
  /** Whether the email will probe a relay. Only an email that may still be sent can do that. */
  readonly isProbe?: boolean;
};

const statementsOf = ({ isProbe }: DueClaim) => (isProbe ? PROBE : DUE);

const dueValues = ({ limit, holders, onlyOthers, paused = [] }: DueClaim) => [limit, holders, onlyOthers, paused];

/** Claims due emails, whether or not a delivery job announced them. */
export function claimDueEmails(db: Db, due: DueClaim, leaseSeconds: number): Promise<ClaimedEmail[]> {
  return claim(db, statementsOf(due).claimMany, [...dueValues(due), leaseSeconds]);
}

/** The ids of emails that `claimDueEmails` would claim now. */
export function findDueEmails(db: Db, due: DueClaim): Promise<string[]> {
  return find(db, statementsOf(due).find, dueValues(due));
}

/** Claims one email if it is due. */
export function claimDueEmail(db: Db, id: string, leaseSeconds: number): Promise<ClaimedEmail[]> {
  return claim(db, DUE.claimOne, [id, leaseSeconds]);
}

/** `is_due` excludes emails that were being sent when the backup of a restored database was taken: they are parked. */
const hasExpired = `lease_until < now() and is_due and ${IS_UNDERSTOOD}`;

const EXPIRED = statementsFor('expired', {
  many: `due as (
      select email_id, claimed_at, ${IS_UNSENT} as is_unsent from deliveries
      where ${hasExpired} and email_id <> all($2::uuid[]) and workspace_id <> all($3::uuid[])
      order by lease_until limit $1::int for update skip locked
    )`,
  isDue: hasExpired,
  lease: '$4',
  reclaims: true,
});

/**
 * @property held the ids of emails that this worker still holds although it failed to extend their leases
 * @property paused workspaces whose queue is paused
 */
export type ExpiredClaim = {
  readonly limit: number;
  readonly held: readonly string[];
  readonly paused?: readonly string[];
};

const expiredValues = ({ limit, held, paused = [] }: ExpiredClaim) => [limit, held, paused];

/** Claims emails whose worker did not extend the lease in time. */
export function claimExpiredEmails(db: Db, expired: ExpiredClaim, leaseSeconds: number): Promise<ClaimedEmail[]> {
  return claim(db, EXPIRED.claimMany, [...expiredValues(expired), leaseSeconds]);
}

/** The ids of emails that `claimExpiredEmails` would claim now. */
export function findExpiredEmails(db: Db, expired: ExpiredClaim): Promise<string[]> {
  return find(db, EXPIRED.find, expiredValues(expired));
}

/** Claims one email if its lease has expired. */
export function claimExpiredEmail(db: Db, id: string, leaseSeconds: number): Promise<ClaimedEmail[]> {
  return claim(db, EXPIRED.claimOne, [id, leaseSeconds]);
}

/** Due rows with a `send_before` have their own index, so one lookup shows whether any of them is late. */
const PAST_SEND_BEFORE = statementsFor('past_send_before', {
  many: `due as (
      select email_id, claimed_at from deliveries
      where ${isDue} and send_before <= now()
      order by send_before limit $1::int for update skip locked
    )`,
  isDue: `${isDue} and ${SEND_BEFORE} <= now()`,
  lease: '$2',
  reclaims: false,
});

/**
 * Emails without expires_at that were never attempted have no `send_before`. The late ones come first among the due
 * emails of their workspace and priority.
 */
const NEVER_TRIED = statementsFor('never_tried', {
  many: `with_due as (
      (
        select workspace_id, priority from deliveries where ${isDue} order by workspace_id, priority, due_at limit 1
      )
      union all
      select following.* from with_due, lateral (
        select workspace_id, priority from deliveries
        where ${isDue} and (deliveries.workspace_id, deliveries.priority) > (with_due.workspace_id, with_due.priority)
        order by workspace_id, priority, due_at limit 1
      ) as following
    ),
    due as (
      select waiting.email_id, claimed_at from with_due, lateral (
        select email_id, claimed_at from deliveries
        where ${isDue} and workspace_id = with_due.workspace_id and priority = with_due.priority
          and due_at <= now() - interval '${limits.maxAgeHours.max} hours'
        order by workspace_id, priority, due_at limit $1::int for update skip locked
      ) as waiting
      limit $1::int
    )`,
  isDue: `${isDue} and ${SEND_BEFORE} <= now()`,
  lease: '$2',
  reclaims: false,
});

/**
 * `past_send_before`: the email's expires_at has passed, or the email was deferred and was first due at least 72 hours
 * ago. `never_tried`: the email has been due for 72 hours without an attempt.
 */
export type LateKind = 'past_send_before' | 'never_tried';

const LATE: Readonly<Record<LateKind, Statements>> = { past_send_before: PAST_SEND_BEFORE, never_tried: NEVER_TRIED };

/** Claims due emails that may no longer be sent. */
export function claimLateEmails(db: Db, kind: LateKind, limit: number, leaseSeconds: number): Promise<ClaimedEmail[]> {
  return claim(db, LATE[kind].claimMany, [limit, leaseSeconds]);
}

/** The ids of emails that `claimLateEmails` would claim now. */
export function findLateEmails(db: Db, kind: LateKind, limit: number): Promise<string[]> {
  return find(db, LATE[kind].find, [limit]);
}

/** Claims one email if it may no longer be sent. */
export function claimLateEmail(db: Db, kind: LateKind, id: string, leaseSeconds: number): Promise<ClaimedEmail[]> {
  return claim(db, LATE[kind].claimOne, [id, leaseSeconds]);
}

async function find(db: Db, statement: Statement, values: unknown[]): Promise<string[]> {
  const rows = await inPipeline(db, (send) => send<{ id: string }>(statement, values));
  return rows.map(({ id }) => id);
}

/**
 * Hides an email from the sweep for some time. It does not matter whether the email is due now, is due later, or has an
 * expired lease.
 * @returns where it comes from, for the log; null if its content is no longer stored
 */
export async function setAside(db: Db, id: string, seconds: number): Promise<EmailOrigin | null> {
  const [row] = await inPipeline(db, (send) =>
    send<EmailOrigin>({ name: 'set_aside', text: SET_ASIDE }, [id, seconds]),
  );
  return row ?? null;
}

const SET_ASIDE = `
  with aside as (
    update deliveries
    set is_due = lease_until is not null, send_before = ${SEND_BEFORE},
      due_at = greatest(due_at, now() + $2::int * interval '1 second'),
      lease_until = case when lease_until is not null then now() + $2::int * interval '1 second' end
    where email_id = $1::uuid and is_due is not null and (lease_until is null or lease_until < now())
  )
  select request_id as "requestId", traceparent from email_contents where email_id = $1::uuid`;
