import type { EmailEventType, EmailStatus, RecipientStatus, ReportResult } from '@posthorn/contract';
import type { LockedEmail } from '@posthorn/domain/emails';
import { isErasedAddress } from '@posthorn/domain/erasure';
import { toAddressKey } from '@posthorn/domain/format';
import { suppressBouncesSql, toUncertainBounceClass } from '@posthorn/domain/suppressions';
import { SYSTEM_WORKSPACE_ID } from '@posthorn/domain/workspaces';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import type { RecipientReport } from './interpret-report.js';

/** What a report changes about one recipient. `from` and `to` are equal if only an event is written. */
type RecipientChange = {
  readonly position: number;
  readonly address: string;
  readonly from: RecipientStatus;
  readonly to: RecipientStatus;
  readonly event: EmailEventType;
  readonly reported: RecipientReport;
};

/** What several reports change about one email. */
export type EmailChanges = {
  readonly status: EmailStatus;
  /** Whether no recipient is waiting any more. */
  readonly isFinished: boolean;
  readonly recipients: readonly RecipientChange[];
  /** A complaint that hides which of several recipients complained. null if there is none, or not the first. */
  readonly unattributedComplaint: RecipientReport | null;
  /**
   * What the reports said about recipients, even if it changed nothing because it was known. A bounce that contradicts
   * what is known, for example after a confirmed delivery, is left out.
   */
  readonly reported: ReadonlyArray<RecipientReport & { readonly address: string }>;
  /** By the id of the report. */
  readonly results: ReadonlyMap<string, ReportResult>;
  /** The ids of the reports that changed more than how long a recipient waits. */
  readonly lasting: ReadonlySet<string>;
};

/** What changes about one locked email. */
type ChangedEmail = { readonly email: LockedEmail; readonly changes: EmailChanges };

export function hasErasedRecipient({ recipients }: LockedEmail): boolean {
  return recipients.some(({ address }) => isErasedAddress(address));
}

/** Writes the new states, the events and the suppressions. Usage stays, because the email was sent. */
export async function writeChanges(trx: Knex, changed: readonly ChangedEmail[]): Promise<void> {
  await trx.raw(WRITE, [JSON.stringify(changed.map(toRow))]);
}

const WRITE = `
  with changed as materialized (
    select * from json_to_recordset(?::json) as changed (
      id uuid, workspace_id uuid, status text, is_finished boolean, last_sequence int, results json, events json,
      bounces json, complaints json, unsubscribes json
    )
  ),
  finished as (
    delete from deliveries using changed where deliveries.email_id = changed.id and is_finished
  ),
  waiting as (
    update deliveries set last_sequence = changed.last_sequence
    from changed where deliveries.email_id = changed.id and not is_finished
  ),
  moved as (
    update emails set status = changed.status from changed
    where emails.workspace_id = changed.workspace_id and emails.id = changed.id and emails.status <> changed.status
  ),
  new_results as (
    update email_recipients
    set status = result.status, smtp_code = result.code, smtp_response = result.response, bounce_class = result.bounce_class, updated_at = now()
    from changed, json_to_recordset(changed.results) as result (
      position int, status text, code int, response text, bounce_class text
    )
    where email_recipients.email_id = changed.id and email_recipients.position = result.position
  ),
  new_events as (
    insert into events (id, stream_id, sequence, workspace_id, type, recipient, detail, data, created_at)
    select event.id, changed.id, event.sequence, workspace_id, 'email.' || type, recipient, detail, data, now()
    from changed, json_to_recordset(changed.events) as event (
      id uuid, sequence int, type text, recipient text, detail text, data jsonb
    )
  ),
  complained as (
    insert into suppressions as known (id, workspace_id, address, reason, email_id, detail, is_authenticated)
    select distinct on (workspace_id, complaint.address)
      complaint.id, workspace_id, complaint.address, 'complaint', changed.id, complaint.detail, is_authenticated
    from changed, json_to_recordset(changed.complaints) as complaint (
      id uuid, address text, detail text, is_authenticated boolean
    )
    where workspace_id <> '${SYSTEM_WORKSPACE_ID}'
    order by workspace_id, complaint.address, is_authenticated desc
    on conflict (workspace_id, address, topic, reason) where address is not null
    do update set email_id = excluded.email_id, detail = excluded.detail, is_authenticated = true
      where excluded.is_authenticated and not known.is_authenticated
  ),
  left_topic as (
    insert into suppressions (id, workspace_id, address, topic, reason, email_id, detail)
    select left_by.id, workspace_id, left_by.address, left_by.topic, 'unsubscribe', changed.id, left_by.detail
    from changed, json_to_recordset(changed.unsubscribes) as left_by (id uuid, address text, topic text, detail text)
    where workspace_id <> '${SYSTEM_WORKSPACE_ID}'
    order by workspace_id, left_by.address
    on conflict (workspace_id, address, topic, reason) where address is not null do nothing
  ),
  bounced as (
    select bounce.id, workspace_id, bounce.address, bounce.bounce_class, changed.id as email_id, bounce.detail
    from changed, json_to_recordset(changed.bounces) as bounce (id uuid, address text, bounce_class text, detail text)
  ),
  ${suppressBouncesSql('bounced')}
  select 1`;

function toRow({ email, changes }: ChangedEmail): object {
  const { recipients, unattributedComplaint } = changes;
  const events = recipients.map(({ address, event, from, to, reported }) => ({
    type: event,
    recipient: address as string | null,
    detail: toDetail(email, reported),
    data: toEventData(reported, from === to ? to : null),
  }));
  if (unattributedComplaint)
    events.push({
      type: 'complained',
      recipient: null,
      detail: UNATTRIBUTED,
      data: toEventData(unattributedComplaint, changes.status),
    });
  return {
    id: email.id,
    workspace_id: email.workspaceId,
    status: changes.status,
    is_finished: changes.isFinished,
    last_sequence: email.lastSequence + events.length,
    results: listLastMoves(recipients).map(({ position, to, reported }) => ({
      position,
      status: to,
      code: reported.code,
      response: toDetail(email, reported),
      bounce_class: reported.bounceClass,
    })),
    events: events.map((event, index) => ({ ...event, id: newId(), sequence: email.lastSequence + 1 + index })),
    ...toSuppressions({ email, changes }),
  };
}

/** The last change of each recipient. With several rows for one recipient, Postgres would take any of them. */
function listLastMoves(recipients: EmailChanges['recipients']): RecipientChange[] {
  const moves = recipients.filter(({ from, to }) => from !== to);
  return [...new Map(moves.map((move) => [move.position, move])).values()];
}

/**
 * Workers count bounces and complaints by these facts.
 * @param status what an event says that does not change the status; null for one that does
 */
function toEventData({ event, isAuthenticated, provider }: RecipientReport, status: EmailStatus | null): object | null {
  const isBounceOrComplaint = event === 'bounced' || event === 'complained';
  const occurredAt = provider?.occurredAt;
  const data = {
    ...(status && event !== 'unsubscribed' && { status }),
    ...(isBounceOrComplaint && { authenticated: isAuthenticated }),
    ...(occurredAt && occurredAt < new Date() && { occurred_at: occurredAt.toISOString() }),
  };
  return Object.keys(data).length === 0 ? null : data;
}

const UNATTRIBUTED = 'A recipient marked it as spam; the report does not say which one';

/** What the other server said; null if a recipient was erased from the email, because the text may name them. */
function toDetail(email: LockedEmail, { text }: RecipientReport): string | null {
  return hasErasedRecipient(email) ? null : text || null;
}

/** Test mail does not suppress, and an erased address is no longer known. */
function toSuppressions({ email, changes }: ChangedEmail): Readonly<Record<string, object[]>> {
  const reported = email.isTest ? [] : changes.reported.filter(({ address }) => !isErasedAddress(address));
  const toSuppression = (each: (typeof reported)[number]) => ({
    id: newId(),
    address: toAddressKey(each.address),
    bounce_class: toSuppressingClass(each),
    topic: email.topic ?? '',
    detail: toDetail(email, each),
    is_authenticated: each.isAuthenticated,
  });
  return {
    bounces: reported.filter(({ event }) => event === 'bounced').map(toSuppression),
    complaints: reported.filter(({ event }) => event === 'complained').map(toSuppression),
    unsubscribes: reported.filter(({ event }) => event === 'unsubscribed').map(toSuppression),
  };
}

/** @returns null if the bounce suppresses nothing */
function toSuppressingClass({ bounceClass, isUncertain, provider }: RecipientReport): string | null {
  if (provider?.maySuppress === false) return null;
  return isUncertain ? toUncertainBounceClass(bounceClass) : bounceClass;
}
