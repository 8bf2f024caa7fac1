import { buildAttachmentsSql, MESSAGE_COLUMNS, SIZE_OF_CONTENT } from '@posthorn/domain/emails';
import { limits } from '@posthorn/domain/limits';
import { hasSuppressionsSql } from '@posthorn/domain/workspaces';
import { type Db, inPipeline, type Statement } from '@posthorn/platform/postgres';
import {
  type ClaimedEmail,
  type ClaimedRow,
  IS_UNDERSTOOD,
  IS_UNSENT,
  NEEDS_WITHOUT_INTENT,
  needs,
  toClaimedEmail,
} from './claimed-email-store.js';

/**
 * The time from which an email may no longer be sent. Unless the email has an expires_at, the column `send_before` is
 * null until the email is deferred. While it is null, `due_at` is when the email was first due. A statement that
 * postpones an email stores this time.
 */
export const SEND_BEFORE = `coalesce(send_before, due_at + interval '${limits.maxAgeHours.max} hours')`;

/** SQL: whether an email waits for nothing but a worker. */
export const IS_NEXT = 'is_due and lease_until is null and waits_for is null';

/** SQL: whether an email waits for the limit or route `:waitsFor`. */
const IS_WAITING = 'is_due and lease_until is null and waits_for = :waitsFor::text';

/**
 * `with_due (workspace_id)` of a recursive query: the workspaces with due emails, in order. Skips through the index of
 * due emails, with one lookup per workspace that has any.
 */
const workspacesWith = (isDue: string) => `with_due as (
      (
        select workspace_id from deliveries where ${isDue}
        order by workspace_id, priority, due_at limit 1
      )
      union all
      select following.workspace_id from with_due, lateral (
        select workspace_id from deliveries
        where ${isDue} and deliveries.workspace_id > with_due.workspace_id
        order by workspace_id, priority, due_at limit 1
      ) as following
    )`;

export const WORKSPACES_WITH_DUE = workspacesWith(IS_NEXT);

/**
 * First part of the sweep's claim: which due emails, whether or not a delivery job announced them. Each workspace with
 * due emails gets the same share, so that a flood from one does not delay the rest. Workspaces without a delivery on this
 * worker come first; apart from that, the order is random.
 *
 * A sweep that finds nothing takes 0.3 ms of CPU time in Postgres with 20,000 idle workspaces, the same as with 100 (two
 * cores, Intel Xeon, Node 20.20, PostgreSQL 18, 2026-11-22).
 */
const dueSql = (isDue: string, condition = 'true') => `${workspacesWith(isDue)},
    tenants as materialized (
      select workspace_id, workspace_id = any(:holders::uuid[]) as is_holder
      from with_due
      where not (:onlyOthers::boolean and workspace_id = any(:holders::uuid[])) and workspace_id <> all(:paused::uuid[])
    ),
    share as (
      select case when :onlyOthers then 1 else ceil(:limit::float / greatest(1, count(*)))::int end as size from tenants
    ),
    due as (
      select waiting.email_id
      from (select workspace_id from tenants order by is_holder, random()) as tenant,
      lateral (
        select email_id from deliveries
        where ${isDue} and ${IS_UNDERSTOOD} and workspace_id = tenant.workspace_id and ${condition}
        order by workspace_id, priority, due_at limit (select size from share) for update skip locked
      ) as waiting
      limit :limit::int
    )`;

const HAS_ATTACHMENTS = `claimed.needs & ${needs.attachments} <> 0`;

/**
 * Second and third part of every claim: take the emails in `due`, and read everything that a worker needs to send them.
 * Rows that another process has locked are skipped.
 *
 * The ids are put into an array, so that Postgres looks up each row by its id, however many rows the planner expects
 * from `due`. The statement is planned once and must be as fast with a million waiting emails as with none.
 *
 * Partitions are looked up only by joins of the main query, not in common table expressions or in selected subqueries:
 * if another process has just changed a row of `due`, Postgres 18 frees what those need (see outcome-store.ts).
 * @param due the first part: common table expressions; the last one, `due`, selects and locks deliveries
 */
const claimSql = (due: string, more = NOT_RECLAIMED) => `
    with recursive ${due},
    claimed as (
      update deliveries
      set attempt = attempt + 1, claimed_at = now(), lease_until = now() + :lease::int * interval '1 second'${more.set}
      where email_id = any(array(select email_id from due))
      returning email_id, workspace_id, attempt, deferrals, ambiguous_attempts, needs, stays_with
    )${more.expressions}
    select ${MESSAGE_COLUMNS}, claimed.attempt, claimed.deferrals, emails.expires_at,${more.columns}
      case
        when emails.domain_id is null or sending_domains.status = 'verified' then null
        when sending_domains.deleted_at is null then 'withdrawn'
        else 'deleted'
      end as sender_lost,
      claimed.ambiguous_attempts, claimed.needs, claimed.stays_with, emails.tags, emails.priority,
      ${hasSuppressionsSql('claimed.workspace_id')} as has_suppressions,
      case when ${HAS_ATTACHMENTS} then attached.list end as attachments, recipients.list as recipients
    from claimed${more.join}
    join emails on emails.workspace_id = claimed.workspace_id and emails.id = claimed.email_id
    left join email_contents as contents on contents.email_id = claimed.email_id
    ${SIZE_OF_CONTENT}
    left join sending_domains on sending_domains.id = emails.domain_id
    left join lateral (
      ${buildAttachmentsSql('claimed.email_id')} and ${HAS_ATTACHMENTS}
    ) as attached on true
    left join lateral (
      select json_agg(json_build_object('position', position, 'address', address, 'status', status) order by position) as list
      from email_recipients where email_recipients.email_id = claimed.email_id
    ) as recipients on true`;

const NOT_RECLAIMED = { set: '', expressions: '', columns: '', join: '' };

/**
 * What the claim does besides if a worker that stopped still holds the emails: their attempts end as deferred if `due`
 * states in `is_unsent` that no mail server has the message, and otherwise as ambiguous. `unsent_attempts` does not see
 * the attempt that the same statement has just stored.
 */
const RECLAIMED: typeof NOT_RECLAIMED = {
  set: `,
        ambiguous_attempts = ambiguous_attempts + (not (${IS_UNSENT}))::int, needs = ${NEEDS_WITHOUT_INTENT}`,
  expressions: `,
    lost as (
      select email_id, claimed.workspace_id, claimed.attempt - 1 as attempt, due.claimed_at, is_unsent
      from claimed join due using (email_id)
    ),
    abandoned as (
      insert into delivery_attempts (email_id, workspace_id, attempt, outcome, conversation, started_at, ended_at)
      select email_id, workspace_id, attempt, case when is_unsent then 'deferred' else 'ambiguous' end,
        case when is_unsent then array['-- The worker stopped before it had sent the whole message'] else '{}' end,
        claimed_at, now()
      from lost
    )`,
  columns: `
      case when lost.is_unsent then 'unsent' else 'ambiguous' end as reclaimed,
      lost.is_unsent::int + unsent.attempts as unsent_attempts,`,
  join: ` join lost on lost.email_id = claimed.email_id
    left join lateral (
      select count(*)::int as attempts from delivery_attempts as earlier
      where earlier.email_id = claimed.email_id and outcome = 'deferred' and phase is null
    ) as unsent on true`,
};

const byIdsSql = (condition: string, columns = 'email_id') => `due as (
      select ${columns} from deliveries where email_id = any(:ids::uuid[]) and ${condition} for update skip locked
    )`;

/** A statement whose parameters have names: `names[0]` is `$1`. */
type NamedStatement = Statement & { readonly names: readonly string[] };

const PARAMETER = /(?<!:):([a-z]\w*)(::\w+(?:\[\])?)?/gi;

/**
 * Each parameter is a subquery, so that the planner cannot use its value. Otherwise a plan for the values of a call looks
 * cheaper than one for all values, and Postgres plans the statement again with almost every call, which takes four times
 * as long as running it.
 * @param text with parameters such as `:limit`, which are numbered in the order in which they appear
 */
function prepare(name: string, text: string): NamedStatement {
  const names = [...new Set([...text.matchAll(PARAMETER)].map(([, parameter = '']) => parameter))];
  const toSubquery = (_: string, used: string, type = '') => `(select $${names.indexOf(used) + 1}${type})${type}`;
  return { name, names, text: text.replace(PARAMETER, toSubquery) };
}

/** The claim of a selection, and a statement that only lists what it would claim now. */
const prepareBoth = (name: string, due: string, more = NOT_RECLAIMED) => ({
  claim: prepare(`claim_${name}`, claimSql(due, more)),
  find: prepare(`find_${name}`, `with recursive ${due} select email_id as id from due`),
});

type Values = Readonly<Record<string, unknown>>;

function run<Row>(db: Db, statement: NamedStatement, values: Values): Promise<Row[]> {
  const inOrder = statement.names.map((name) => values[name]);
  return inPipeline(db, (send) => send<Row>(statement, inOrder));
}

async function claim(db: Db, statement: NamedStatement, values: Values & { lease: number }): Promise<ClaimedEmail[]> {
  return (await run<ClaimedRow>(db, statement, values)).map(toClaimedEmail);
}

async function find(db: Db, statement: NamedStatement, values: Values): Promise<string[]> {
  return (await run<{ id: string }>(db, statement, values)).map(({ id }) => id);
}

/** How to claim a selection of emails: all at once, or found first and then claimed by their ids. */
export type Selection = {
  claimMany(): Promise<ClaimedEmail[]>;
  /** The ids of emails that `claimMany` would claim now. */
  find(): Promise<string[]>;
  /** Claims those of the emails that belong to the selection now, without its limit. */
  claimByIds(ids: readonly string[]): Promise<ClaimedEmail[]>;
};

function toSelection(
  db: Db,
  both: ReturnType<typeof prepareBoth>,
  byIds: NamedStatement,
  values: Values & { lease: number },
): Selection {
  return {
    claimMany: () => claim(db, both.claim, values),
    find: () => find(db, both.find, values),
    claimByIds: (ids) => claim(db, byIds, { ids, lease: values.lease }),
  };
}

/** Whether a worker may claim an email. One that this version does not understand waits for a newer worker. */
const IS_DUE = `is_due and lease_until is null and ${IS_UNDERSTOOD}`;

const CLAIM_BY_IDS = prepare('claim_by_ids', claimSql(byIdsSql(`${IS_DUE} and attempt = 0`)));

/** Claims the given emails that are waiting for their first attempt. */
export function claimEmails(db: Db, ids: readonly string[], lease: number): Promise<ClaimedEmail[]> {
  return claim(db, CLAIM_BY_IDS, { ids, lease });
}

const DUE = prepareBoth('due', dueSql(IS_NEXT));
/** An email that probes a relay must not be late, because late emails are ended without using one. */
const PROBE = prepareBoth('probe', dueSql(IS_NEXT, `${SEND_BEFORE} > now()`));
const WAITING = prepareBoth('waiting', dueSql(IS_WAITING));
const DUE_BY_IDS = prepare('claim_due_by_ids', claimSql(byIdsSql(IS_DUE)));

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
  /** Claims emails that wait for this limit or route; null to claim those that wait only for a worker. */
  readonly waitsFor?: string | null;
};

export function selectDueEmails(db: Db, due: DueClaim, lease: number): Selection {
  const { waitsFor = null } = due;
  const next = due.isProbe ? PROBE : DUE;
  return toSelection(db, waitsFor === null ? next : WAITING, DUE_BY_IDS, { paused: [], ...due, waitsFor, lease });
}

/** `is_due` excludes emails that were being sent when the backup of a restored database was taken: they are parked. */
const HAS_EXPIRED = `lease_until < now() and is_due and ${IS_UNDERSTOOD}`;

const LOST = `email_id, claimed_at, ${IS_UNSENT} as is_unsent`;
const expiredSql = `due as (
      select ${LOST} from deliveries
      where ${HAS_EXPIRED} and email_id <> all(:held::uuid[]) and workspace_id <> all(:paused::uuid[])
      order by lease_until limit :limit::int for update skip locked
    )`;

const EXPIRED = prepareBoth('expired', expiredSql, RECLAIMED);
const EXPIRED_BY_IDS = prepare('claim_expired_by_ids', claimSql(byIdsSql(HAS_EXPIRED, LOST), RECLAIMED));

/** @property held the ids of emails that this worker still holds although it failed to extend their leases */
export type ExpiredClaim = Pick<DueClaim, 'limit' | 'paused'> & { readonly held: readonly string[] };

/** Emails whose worker did not extend the lease in time. */
export function selectExpiredEmails(db: Db, expired: ExpiredClaim, lease: number): Selection {
  return toSelection(db, EXPIRED, EXPIRED_BY_IDS, { paused: [], ...expired, lease });
}

/** Due rows with a `send_before` have their own index, so one lookup shows whether any of them is late. */
const pastSendBeforeSql = `due as (
      select email_id from deliveries
      where ${IS_DUE} and send_before <= now()
      order by send_before limit :limit::int for update skip locked
    )`;

/**
 * Emails without expires_at that were never attempted have no `send_before`. The late ones come first among the due
 * emails of their workspace and priority.
 */
const neverTriedSql = `with_due as (
      (
        select workspace_id, priority from deliveries where ${IS_NEXT} and ${IS_UNDERSTOOD}
        order by workspace_id, priority, due_at limit 1
      )
      union all
      select following.* from with_due, lateral (
        select workspace_id, priority from deliveries
        where ${IS_NEXT} and ${IS_UNDERSTOOD} and (deliveries.workspace_id, deliveries.priority) > (with_due.workspace_id, with_due.priority)
        order by workspace_id, priority, due_at limit 1
      ) as following
    ),
    due as (
      select waiting.email_id from with_due, lateral (
        select email_id from deliveries
        where ${IS_NEXT} and ${IS_UNDERSTOOD} and workspace_id = with_due.workspace_id and priority = with_due.priority
          and due_at <= now() - interval '${limits.maxAgeHours.max} hours'
        order by workspace_id, priority, due_at limit :limit::int for update skip locked
      ) as waiting
      limit :limit::int
    )`;

/**
 * `past_send_before`: the email's expires_at has passed, or the email was deferred and was first due at least 72 hours
 * ago. `never_tried`: the email has been due for 72 hours without an attempt.
 */
export type LateKind = 'past_send_before' | 'never_tried';

const LATE: Readonly<Record<LateKind, ReturnType<typeof prepareBoth>>> = {
  past_send_before: prepareBoth('past_send_before', pastSendBeforeSql),
  never_tried: prepareBoth('never_tried', neverTriedSql),
};
const LATE_BY_IDS = prepare('claim_late_by_ids', claimSql(byIdsSql(`${IS_DUE} and ${SEND_BEFORE} <= now()`)));

/** Due emails that may no longer be sent. */
export function selectLateEmails(db: Db, kind: LateKind, limit: number, lease: number): Selection {
  return toSelection(db, LATE[kind], LATE_BY_IDS, { limit, lease });
}
