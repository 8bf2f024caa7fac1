import type { Mode } from '@posthorn/contract';
import { IS_NEXT, WORKSPACES_WITH_DUE } from '@posthorn/domain/delivery';
import type { Db } from '@posthorn/platform/postgres';

/** Only the newest events are read, so that reading takes as long on a busy service as on an idle one. */
const MAX_EVENTS = 5_000;
const WINDOW_SECONDS = 60;
/** More workspaces than that with waiting mail are not looked at. */
const MAX_WORKSPACES = 200;
/** How many waiting emails are counted, shared equally by the workspaces that have some. */
const MAX_COUNTED = 20_000;
/** How many deferred emails, and recent attempts, are looked at. */
const MAX_DEFERRED = 500;
const MAX_ATTEMPTS = 500;
/** How many rows each list has. */
const MAX_ROWS = 10;

/** What a workspace has waiting and what it did in the last minute. Rates are per minute. */
type WorkspaceActivity = {
  readonly id: string;
  readonly name: string;
  readonly mode: Mode;
  /** Due emails. Counting stops at 20,000 divided by the number of workspaces that have some. */
  readonly waiting: number;
  readonly oldestSeconds: number;
  readonly accepted: number;
  readonly sent: number;
};

type DestinationActivity = {
  readonly domain: string;
  /** Recipients that wait after a deferral, among the 500 emails that are tried next. */
  readonly waiting: number;
  readonly sent: number;
  readonly deferred: number;
  readonly bounced: number;
  /** What the server said last when it deferred or refused a recipient; null if it did not. */
  readonly lastReply: string | null;
};

/** What attempts ended with, among the last 500 in the last minute. */
type AttemptActivity = { readonly relay: string; readonly outcome: string; readonly attempts: number };

/** The workspaces with the most waiting mail, then those with the most traffic. */
export async function readWorkspaceActivity(db: Db): Promise<WorkspaceActivity[]> {
  const { rows } = await db.raw(
    `with recursive ${RECENT}, ${WORKSPACES_WITH_DUE},
     found as materialized (select workspace_id from with_due limit :workspaces),
     waiting as (
       select found.workspace_id, counted.emails, counted.oldest
       from found, lateral (
         select count(*)::int as emails, min(due_at) as oldest from (
           select due_at from deliveries
           where ${IS_NEXT} and deliveries.workspace_id = found.workspace_id
           limit (select ceil(:counted::float / greatest(1, count(*)))::int from found)
         ) as each
       ) as counted
     ),
     traffic as (
       select workspace_id, count(*) filter (where type = 'email.accepted') * scale as accepted,
         count(*) filter (where type = 'email.sent') * scale as sent
       from recent, pace group by workspace_id, scale
     )
     select workspaces.id, workspaces.name, case when test_of is null then 'live' else 'test' end as mode,
       coalesce(emails, 0) as waiting, coalesce(extract(epoch from now() - oldest), 0)::int as "oldestSeconds",
       coalesce(round(accepted), 0)::int as accepted, coalesce(round(sent), 0)::int as sent
     from waiting full join traffic using (workspace_id) join workspaces on workspaces.id = workspace_id
     order by waiting desc, accepted desc, sent desc limit :rows`,
    { ...LIMITS, workspaces: MAX_WORKSPACES, counted: MAX_COUNTED },
  );
  return rows;
}

/** The recipient domains with the most waiting and deferred mail, then those with the most traffic. */
export async function readDestinationActivity(db: Db): Promise<DestinationActivity[]> {
  const { rows } = await db.raw(
    `with ${RECENT}, traffic as (
       select ${buildDomainSql('recipient')} as domain, count(*) filter (where type = 'email.sent') * scale as sent,
         count(*) filter (where type = 'email.deferred') * scale as deferred,
         count(*) filter (where type = 'email.bounced') * scale as bounced,
         (array_agg(detail order by position desc) filter (where type <> 'email.sent'))[1] as reply
       from recent, pace
       where recipient is not null and type in ('email.sent', 'email.deferred', 'email.bounced')
       group by 1, scale
     ),
     next_tries as (
       select email_id from deliveries where not is_due and attempt > 0
       order by date_bin('10 seconds', due_at, 'epoch'), workspace_id, due_at limit :deferred
     ),
     waiting as (
       select ${buildDomainSql('address')} as domain, count(*)::int as recipients, max(smtp_response) as reply
       from next_tries join email_recipients using (email_id) where status = 'deferred' group by 1
     )
     select domain, coalesce(recipients, 0) as waiting, coalesce(round(sent), 0)::int as sent,
       coalesce(round(deferred), 0)::int as deferred, coalesce(round(bounced), 0)::int as bounced,
       left(coalesce(traffic.reply, waiting.reply), 120) as "lastReply"
     from traffic full join waiting using (domain)
     order by waiting desc, deferred desc, bounced desc, sent desc limit :rows`,
    { ...LIMITS, deferred: MAX_DEFERRED },
  );
  return rows;
}

/** The attempts of the emails with the newest events, by relay. */
export async function readAttemptActivity(db: Db): Promise<AttemptActivity[]> {
  const { rows } = await db.raw(
    `with ${RECENT}, attempted as (
       select stream_id, max(created_at) as at from (
         select stream_id, created_at from recent
         where type in ('email.sent', 'email.deferred', 'email.bounced', 'email.failed', 'email.ambiguous')
         order by position desc limit :attempts
       ) as newest group by stream_id
     )
     select coalesce(route, 'none') as relay, outcome, count(*)::int as attempts
     from attempted, lateral (
       select route, outcome from delivery_attempts
       where delivery_attempts.email_id = stream_id order by email_id desc, attempt desc limit 1
     ) as latest
     group by 1, 2 order by attempts desc limit :rows`,
    { ...LIMITS, attempts: MAX_ATTEMPTS },
  );
  return rows;
}

const LIMITS = { events: MAX_EVENTS, seconds: WINDOW_SECONDS, rows: MAX_ROWS };

/** The events of the last minute, and by how much to multiply counts if there are more of them than are read. */
const RECENT = `recent as materialized (
    select * from (
      select workspace_id, stream_id, type, recipient, detail, position, created_at from events
      order by position desc limit :events
    ) as newest where created_at > now() - :seconds * interval '1 second'
  ),
  pace as (
    select case when count(*) < :events then 1
      else :seconds / greatest(1, extract(epoch from now() - min(created_at))) end::float as scale
    from recent
  )`;

/** SQL: the part after the last @, in lower case. */
function buildDomainSql(address: string): string {
  return `lower(substring(${address} from '@([^@]*)$'))`;
}
