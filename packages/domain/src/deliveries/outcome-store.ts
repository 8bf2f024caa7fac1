import type { Db } from '../database/connect.js';
import { inPipeline, type Statement } from '../database/pipeline.js';
import type { EventType } from '../emails/email-status.js';
import { newId } from '../ids.js';
import type { Outcome } from './outcome.js';

/**
 * Writes the ends of several attempts in one statement. Each is fenced by its attempt number: what a
 * worker learned about an email that another has claimed since is not written. What was written
 * already, by a statement whose reply got lost, is left as it is.
 * @returns ids of the emails whose outcome is written
 */
export async function recordOutcomes(db: Db, outcomes: readonly Outcome[]): Promise<Set<string>> {
  const values = [JSON.stringify(outcomes.map(toRow))];
  const rows = await inPipeline(db, (send) => send<{ id: string }>(RECORD, values));
  return new Set(rows.map(({ id }) => id));
}

/**
 * Emails are locked in the order of their ids and by nothing but their ids: asked for those that are
 * being sent, the planner may walk the index of them, which is full of what has been sent since.
 */
const RECORD: Statement = {
  name: 'record_outcomes',
  text: `
  with ended as materialized (
    select * from json_to_recordset($1::json) as ended (
      id uuid, attempt int, status text, retry_in float, charged int, fates json, events json,
      outcome text, phase text, route text, conversation text[]
    )
  ),
  locked as materialized (
    select id, attempt, status from emails where id = any(array(select id from ended)) order by id for update
  ),
  fenced as (
    update emails
    set status = ended.status, lease_until = null, deferrals = deferrals + ended.charged,
      due_at = now() + ended.retry_in * interval '1 second'
    from ended join locked on locked.id = ended.id and locked.attempt = ended.attempt and locked.status = 'sending'
    where emails.id = ended.id
    returning emails.id, emails.workspace_id
  ),
  new_fates as (
    update email_recipients
    set status = fate.status, smtp_code = fate.code, smtp_response = fate.response, updated_at = now()
    from fenced join ended on ended.id = fenced.id,
    json_to_recordset(ended.fates) as fate (position int, status text, code int, response text)
    where email_recipients.email_id = ended.id and email_recipients.position = fate.position
  ),
  ended_attempts as (
    update delivery_attempts
    set outcome = ended.outcome, phase = ended.phase, route = ended.route, conversation = ended.conversation, ended_at = now()
    from fenced join ended on ended.id = fenced.id
    where delivery_attempts.email_id = ended.id and delivery_attempts.attempt = ended.attempt
  ),
  new_events as (
    insert into email_events (id, email_id, workspace_id, type, recipient, detail, created_at)
    select event.id, fenced.id, fenced.workspace_id, event.type, event.recipient, event.detail, now()
    from fenced join ended on ended.id = fenced.id,
    json_to_recordset(ended.events) as event (id uuid, type text, recipient text, detail text)
  )
  select id from ended
  where id in (select id from fenced)
    or (
      select known.outcome = ended.outcome and known.phase = ended.phase from delivery_attempts as known
      where known.email_id = ended.id and known.attempt = ended.attempt
    )`,
};

/** All fields by name: objects that are copied as they are cost the engine a look-up for each. */
function toRow(outcome: Outcome): object {
  return {
    id: outcome.id,
    attempt: outcome.attempt,
    status: outcome.status,
    retry_in: outcome.retryInSeconds,
    charged: outcome.charged ? 1 : 0,
    fates: outcome.fates.map(({ position, status, smtpCode, smtpResponse }) => ({
      position,
      status,
      code: smtpCode,
      response: smtpResponse,
    })),
    events: eventsOf(outcome),
    outcome: outcome.outcome,
    phase: outcome.phase,
    route: outcome.route,
    conversation: outcome.conversation,
  };
}

/** Of each recipient, then the one of the email as a whole. */
function eventsOf({ fates, event }: Outcome): object[] {
  const events = fates.map(({ status, address, smtpResponse }) => toEvent(status, address, smtpResponse));
  if (event) events.push(toEvent(event.type, null, event.detail));
  return events;
}

function toEvent(type: EventType, recipient: string | null, detail: string | null): object {
  return { id: newId(), type, recipient, detail };
}
