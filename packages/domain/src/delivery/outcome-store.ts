import type {
  AttemptOutcome,
  AttemptPhase,
  BounceClass,
  EmailEventType,
  EmailStatus,
  RecipientStatus,
} from '@posthorn/contract';
import type { EmailOrigin } from '@posthorn/domain/emails';
import { toAddressKey } from '@posthorn/domain/format';
import { canSuppress, suppressBouncesSql } from '@posthorn/domain/suppressions';
import { lockUsage, type UsageKey } from '@posthorn/domain/workspaces';
import { type Db, inPipelinedTransaction, type Statement } from '@posthorn/platform/postgres';
import { newId } from '@posthorn/platform/values';
import { SEND_BEFORE } from './claim-store.js';
import { NEEDS_WITHOUT_INTENT } from './claimed-email-store.js';

/** The result of an attempt for one recipient. */
export type RecipientResult = {
  readonly position: number;
  readonly address: string;
  readonly status: Exclude<RecipientStatus, 'queued'>;
  readonly smtpCode: number | null;
  readonly smtpResponse: string | null;
  /** Why a mail server refused it. */
  readonly bounceClass?: BounceClass;
  /** Set if the usage of the recipient is refunded, because it is suppressed. */
  readonly isRefunded?: true;
  /** Set in a handoff marker if the message was being sent to the recipient when the marker was written. */
  readonly isUnknown?: true;
  /** Set if a relay took the message, or may have taken it, whose provider reports events. */
  readonly relayId?: string;
  /** That provider's id of the message; null if its reply does not say. */
  readonly providerId?: string | null;
  /** Set if the recipient is an address of the simulator, so that the result says nothing about real mail. */
  readonly isSimulated?: true;
};

export type Outcome = EmailOrigin & {
  readonly id: string;
  /** The claim that this outcome ends. If there is a newer claim, the outcome is not written. */
  readonly attempt: number;
  readonly status: EmailStatus;
  /** Seconds until the next attempt; null when there is none. */
  readonly retryInSeconds: number | null;
  /** Whether this attempt counts against RETRY_SCHEDULE. */
  readonly charged: boolean;
  /** Contains only the recipients whose status this attempt changed. */
  readonly recipientResults: readonly RecipientResult[];
  readonly outcome: AttemptOutcome;
  readonly phase: AttemptPhase;
  readonly route: string | null;
  /**
   * The SMTP conversation as "C: ..." and "S: ..." lines, without the message itself. A "-- ..." line names a relay.
   */
  readonly conversation: readonly string[];
  /**
   * The ids of the relays that may have the message after this attempt, whose result is unknown, by the position of the
   * recipient; null if there are none.
   */
  readonly staysWith?: Readonly<Record<number, string>> | null | undefined;
  /** An additional event for the email as a whole, such as why it failed. */
  readonly event: { readonly type: EmailEventType; readonly detail: string } | null;
};

/**
 * Writes the outcomes of several attempts in one transaction. Each outcome is fenced by its attempt number, so it is not
 * written if another worker has claimed the email since. An outcome that was already written by a statement whose reply
 * was lost stays as it is. An attempt that only made the email wait replaces earlier ones of that kind, because an
 * email may be claimed thousands of times while no relay can be used.
 *
 * The rows are locked by statements of their own (decision 39). In Postgres 18, a statement that finds a row changed since
 * it began evaluates itself again for that row, and this frees the state with which its other parts choose partitions:
 * with the lock in the same statement, the server crashed when a lease was extended at that moment.
 * @returns ids of the emails whose outcome is now in Postgres
 */
export async function recordOutcomes(db: Db, outcomes: readonly Outcome[]): Promise<Set<string>> {
  const ids = outcomes.map(({ id }) => id);
  const values = [JSON.stringify(outcomes.map(toRow))];
  const statement = outcomes.some(hasConsequences) ? RECORD_WITH_CONSEQUENCES : RECORD;
  const refunded = outcomes
    .filter(({ recipientResults }) => recipientResults.some(({ isRefunded }) => isRefunded))
    .map(({ id }) => id);
  const rows = await inPipelinedTransaction(db, async ({ send, commit }) => {
    const locked = send(LOCK, [ids]);
    if (refunded.length > 0) {
      const [counters] = await Promise.all([send<UsageKey>(COUNTERS, [refunded]), locked]);
      await lockUsage(send, counters);
    }
    const recorded = send<{ id: string }>(statement, values);
    await Promise.all([locked, recorded, commit()]);
    return recorded;
  });
  return new Set(rows.map(({ id }) => id));
}

/** In id order, like every lock of several deliveries, so that two statements with the same emails cannot deadlock. */
const LOCK: Statement = {
  name: 'lock_deliveries',
  text: 'select from deliveries where email_id = any((select $1::uuid[])::uuid[]) order by email_id for update',
};

/** The usage counters that the emails were counted in. */
const COUNTERS: Statement = {
  name: 'usage_counters_of_emails',
  text: `
  select emails.workspace_id as "workspaceId", period
  from deliveries join emails on emails.workspace_id = deliveries.workspace_id and emails.id = email_id,
    lateral (values (to_char(usage_day, 'YYYY-MM')), (to_char(usage_day, 'YYYY-MM-DD'))) as counted (period)
  where email_id = any($1::uuid[])`,
};

/**
 * Reads deliveries by id only. If there were a condition on the lease, the planner might scan the index on leases, which
 * is full of dead rows.
 *
 * `earlier_waits` are attempts for which `is_wait` was true: route faults, and deferred attempts without a route. An
 * attempt without a phase was cut off when its worker stopped.
 */
const recordSql = ({ columns, providerColumns, eventData, statements }: Consequences) => `
  with ended as materialized (
    select * from json_to_recordset($1::json) as ended (
      id uuid, attempt int, status text, retry_in float, charged int, results json, events json,
      outcome text, phase text, route text, conversation text[], is_wait boolean, stays_with jsonb${columns}
    )
  ),
  locked as materialized (
    select email_id, workspace_id, attempt, claimed_at, lease_until, last_sequence from deliveries
    where email_id = any(array(select id from ended))
  ),
  fenced as materialized (
    select ended.*, locked.workspace_id, locked.claimed_at, locked.last_sequence
    from ended join locked
      on locked.email_id = ended.id and locked.attempt = ended.attempt and locked.lease_until is not null
  ),
  finished as (
    delete from deliveries where email_id = any(array(select id from fenced where status <> 'deferred'))
  ),
  deferred as (
    update deliveries
    set lease_until = null, claimed_at = null, is_due = case when is_due then retry_in <= 0 end, due_at = now() + retry_in * interval '1 second',
      send_before = ${SEND_BEFORE}, waits_for = null,
      stays_with = coalesce(deliveries.stays_with || fenced.stays_with, deliveries.stays_with, fenced.stays_with), deferrals = deferrals + charged,
      last_sequence = deliveries.last_sequence + json_array_length(fenced.events),
      ambiguous_attempts = ambiguous_attempts + (outcome = 'ambiguous')::int, needs = ${NEEDS_WITHOUT_INTENT}
    from fenced where deliveries.email_id = fenced.id and fenced.status = 'deferred'
  ),
  moved as (
    update emails set status = fenced.status from fenced
    where emails.workspace_id = fenced.workspace_id and emails.id = fenced.id and emails.status <> fenced.status
  ),
  new_results as (
    update email_recipients
    set status = result.status, smtp_code = result.code, smtp_response = result.response,
      bounce_class = result.bounce_class, updated_at = now()${providerColumns && SET_PROVIDER}
    from fenced,
      json_to_recordset(fenced.results) as result (
        position int, status text, code int, response text, bounce_class text${providerColumns}
      )
    where email_recipients.email_id = fenced.id and email_recipients.position = result.position
  ),
  new_attempts as (
    insert into delivery_attempts (
      email_id, workspace_id, attempt, route, phase, outcome, conversation, started_at, ended_at
    )
    select id, workspace_id, attempt, route, phase, outcome, conversation, claimed_at, now() from fenced
  ),
  earlier_waits as (
    delete from delivery_attempts using fenced
    where is_wait and delivery_attempts.email_id = fenced.id and delivery_attempts.attempt < fenced.attempt
      and (
        delivery_attempts.outcome = 'route_fault'
        or (
          delivery_attempts.outcome = 'deferred' and delivery_attempts.route is null
          and delivery_attempts.phase is not null
        )
      )
  ),
  new_events as (
    insert into events (id, stream_id, sequence, workspace_id, type, recipient, detail, created_at${eventData && ', data'})
    select event.id, fenced.id, last_sequence + nth, workspace_id, 'email.' || type, recipient, detail, now()${eventData && ', data'}
    from fenced, json_to_recordset(fenced.events) as event (
      id uuid, nth int, type text, recipient text, detail text${eventData}
    )
  )${statements}
  select id from ended
  where id in (select id from fenced)
    or (
      select stored.outcome = ended.outcome and stored.phase = ended.phase from delivery_attempts as stored
      where stored.email_id = ended.id and stored.attempt = ended.attempt
    )`;

/**
 * The parts of the statement for outcomes that suppress addresses, refund usage, come from the simulator, or went out by a
 * relay whose provider reports events.
 */
type Consequences = {
  readonly columns: string;
  readonly providerColumns: string;
  readonly eventData: string;
  readonly statements: string;
};

/** A result without a relay says nothing about who has the message. */
const SET_PROVIDER = `,
      relay_id = coalesce(result.relay_id, email_recipients.relay_id),
      provider_id = case when result.relay_id is null then email_recipients.provider_id else result.provider_id end`;

const RECORD: Statement = {
  name: 'record_outcomes',
  text: recordSql({ columns: '', providerColumns: '', eventData: '', statements: '' }),
};

const RECORD_WITH_CONSEQUENCES: Statement = {
  name: 'record_outcomes_with_consequences',
  text: recordSql({
    columns: ', bounces json, refunded int',
    providerColumns: ', relay_id uuid, provider_id text',
    eventData: ', data jsonb',
    statements: `,
  bounced as (
    select bounce.id, workspace_id, bounce.address, bounce.bounce_class, fenced.id as email_id, bounce.detail
    from fenced, json_to_recordset(fenced.bounces) as bounce (id uuid, address text, bounce_class text, detail text)
  ),
  ${suppressBouncesSql('bounced')},
  refunds as (
    select emails.workspace_id, period, sum(refunded) as sends
    from fenced join emails on emails.workspace_id = fenced.workspace_id and emails.id = fenced.id,
      lateral (values (to_char(usage_day, 'YYYY-MM')), (to_char(usage_day, 'YYYY-MM-DD'))) as counted (period)
    where refunded > 0 group by emails.workspace_id, period
  ),
  refunded_usage as (
    update usage set used = greatest(used - sends, 0)
    from refunds where usage.workspace_id = refunds.workspace_id and usage.period = refunds.period
  )`,
  }),
};

function hasConsequences({ recipientResults }: Outcome): boolean {
  return recipientResults.some(
    (result) => maySuppress(result) || result.isRefunded || result.isSimulated || result.relayId !== undefined,
  );
}

function maySuppress({ bounceClass }: RecipientResult): boolean {
  return bounceClass !== undefined && canSuppress(bounceClass);
}

/** Every field is listed by name, because V8 needs a lookup per field to spread an object. */
function toRow(outcome: Outcome): object {
  return {
    id: outcome.id,
    attempt: outcome.attempt,
    status: outcome.status,
    retry_in: outcome.retryInSeconds,
    charged: outcome.charged ? 1 : 0,
    results: outcome.recipientResults.map((result) => ({
      position: result.position,
      status: result.status,
      code: result.smtpCode,
      response: result.smtpResponse,
      bounce_class: result.bounceClass,
      relay_id: result.relayId,
      provider_id: result.providerId,
    })),
    events: toEvents(outcome),
    outcome: outcome.outcome,
    phase: outcome.phase,
    route: outcome.route,
    conversation: outcome.conversation,
    is_wait: isWait(outcome) || undefined,
    stays_with: outcome.staysWith ?? undefined,
    ...(hasConsequences(outcome) && toConsequences(outcome)),
  };
}

function toConsequences({ recipientResults }: Outcome): object {
  return {
    bounces: recipientResults.filter(maySuppress).map(toBounce),
    refunded: recipientResults.filter(({ isRefunded }) => isRefunded).length,
  };
}

function toBounce({ address, bounceClass, smtpResponse }: RecipientResult): object {
  return { id: newId(), address: toAddressKey(address), bounce_class: bounceClass, detail: smtpResponse };
}

/** Whether the attempt changed nothing but the time of the next attempt. */
function isWait({ status, charged, recipientResults }: Outcome): boolean {
  return status === 'deferred' && !charged && recipientResults.length === 0;
}

/** What happened to a recipient earlier, if one result represents several events. */
const EARLIER_EVENTS: { readonly [Status in RecipientStatus]?: readonly EmailEventType[] } = {
  delivered: ['sent'],
  complained: ['sent', 'delivered'],
};

/** The events of each recipient, then the one for the email as a whole. `nth` counts from 1. */
function toEvents({ recipientResults, event }: Outcome): object[] {
  const events = recipientResults.flatMap(({ status, address, smtpResponse, isSimulated }) => {
    const own = [
      ...(EARLIER_EVENTS[status] ?? []).map((type) => toEvent(type, address, null)),
      toEvent(status, address, smtpResponse),
    ];
    // What counts recipients must know this even after the address was erased.
    return isSimulated ? own.map((each) => ({ ...each, data: { simulated: true } })) : own;
  });
  if (event) events.push(toEvent(event.type, null, event.detail));
  for (const [index, row] of events.entries()) row.nth = index + 1;
  return events;
}

type EventRow = { id: string; nth: number; type: EmailEventType; recipient: string | null; detail: string | null };

function toEvent(type: EmailEventType, recipient: string | null, detail: string | null): EventRow {
  return { id: newId(), nth: 0, type, recipient, detail };
}
