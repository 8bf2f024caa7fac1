import { formatAddress } from '../addresses/address.js';
import type { Send } from '../database/pipeline.js';
import type { RecipientKind } from '../emails/email-status.js';
import { limits } from '../limits.js';
import type { Allowance } from '../workspaces/plans.js';
import type { Entry } from './commit-request.js';
import type { NewRecipient } from './new-email.js';

/**
 * Writes all rows of the entries and counts their recipients, in one statement: the rows travel as one
 * JSON text, which costs a tenth of quoting them into array literals.
 * Every clock is Postgres' own but created_at, which the client has in its answer.
 */
export async function insertEmails(send: Send, entries: readonly Entry[]): Promise<void> {
  const rows = entries.map((entry) => toRow(entry));
  await insertRows(send, rows, null);
}

/**
 * The same for entries that nobody has judged: it fails, with nothing written, where together they would
 * pass a cap. Of caps that changed between two entries of a workspace the smallest holds.
 * @param lockBy Postgres' clock must not have come so far when it has locked the counters: who has given up
 *   waiting, and finds them free, must be able to tell that nothing will be stored any more
 */
export async function insertWithinCaps(send: Send, entries: readonly Entry[], lockBy: Date): Promise<void> {
  const rows = entries.map((entry) => toRow(entry, entry.workspace.allowance));
  await insertRows(send, rows, lockBy);
}

/** The name tells, on the wire, that the statement may be a transaction of its own. */
async function insertRows(send: Send, rows: readonly object[], lockBy: Date | null): Promise<void> {
  const values = [JSON.stringify(rows), limits.idempotencyHours.max, lockBy];
  await send({ name: 'insert_and_commit', text: INSERT }, values);
}

const INSERT = `
  with entry as materialized (
    select * from json_to_recordset($1::json) as entry (
      id uuid, workspace_id uuid, status text, from_ text, from_address text, domain_id uuid, subject text,
      "to" text[], cc text[], bcc text[], reply_to text[], template_id uuid, template_version int, template_vars jsonb,
      tags text[], headers jsonb, html text, "text" text, kinds text[], addresses text[], recipient_count int,
      created_at timestamptz, scheduled_at timestamptz, usage_day date, key_hash text, fingerprint text, answer text,
      monthly_cap bigint, daily_cap bigint
    )
  ),
  new_emails as (
    insert into emails (
      id, workspace_id, status, from_, from_address, domain_id, subject, "to", template_id, template_version,
      tags, recipient_count, created_at, scheduled_at, usage_day, due_at
    )
    select id, workspace_id, status, from_, from_address, domain_id, subject, "to", template_id, template_version,
      coalesce(tags, '{}'), recipient_count, created_at, scheduled_at, usage_day, coalesce(scheduled_at, now())
    from entry
  ),
  new_tags as (
    insert into email_tags (workspace_id, tag, email_id) select workspace_id, tag, id from entry, unnest(tags) as tag
  ),
  new_contents as (
    insert into email_contents (email_id, workspace_id, html, text, template_vars, cc, bcc, reply_to, headers)
    select id, workspace_id, html, "text", template_vars, coalesce(cc, '{}'), coalesce(bcc, '{}'),
      coalesce(reply_to, '{}'), coalesce(headers, '{}')
    from entry
  ),
  new_recipients as (
    insert into email_recipients (email_id, workspace_id, position, kind, address, status, updated_at)
    select id, workspace_id, position - 1, kind, address, 'queued', created_at
    from entry, unnest(kinds, addresses) with ordinality as recipient (kind, address, position)
  ),
  new_keys as (
    insert into idempotency_keys (workspace_id, key_hash, fingerprint, answer, expires_at)
    select workspace_id, decode(key_hash, 'hex'), decode(fingerprint, 'hex'), answer,
      now() + $2::int * interval '1 hour'
    from entry where key_hash is not null order by workspace_id, key_hash
    -- A key that holds may not be overwritten: its answer would be null, which fails the transaction
    on conflict (workspace_id, key_hash) do update
      set fingerprint = excluded.fingerprint, expires_at = excluded.expires_at,
        answer = case when idempotency_keys.expires_at <= now() then excluded.answer end
  ),
  counted as (
    select workspace_id, period, sum(recipient_count) as sends, min(cap) as cap
    from entry, lateral (
      values (to_char(usage_day, 'YYYY-MM'), monthly_cap), (to_char(usage_day, 'YYYY-MM-DD'), daily_cap)
    ) as of_day (period, cap)
    group by workspace_id, period
  )
  -- In one order for everybody, so that no two can deadlock. Past the cap, or locked too late, it would be
  -- null, which fails the transaction
  insert into usage (workspace_id, period, used)
  select workspace_id, period,
    case when (cap is null or sends <= cap) and ($3::timestamptz is null or clock_timestamp() < $3) then sends end
  from counted order by workspace_id, period
  on conflict (workspace_id, period) do update set used = (
    select case
      when (cap is null or usage.used + sends <= cap) and ($3 is null or clock_timestamp() < $3) then usage.used + sends
    end
    from counted where workspace_id = usage.workspace_id and period = usage.period
  )`;

/** What is undefined is left out of the JSON, which Postgres reads as null: every field costs it time. */
function toRow({ email, claim, answer }: Entry, caps?: Allowance): object {
  const { recipients, template } = email;
  return {
    id: email.id,
    workspace_id: email.workspaceId,
    status: email.status,
    from_: formatAddress(email.from),
    from_address: email.from.address,
    domain_id: email.domainId ?? undefined,
    subject: email.subject,
    to: formatted(recipients, 'to'),
    cc: unlessEmpty(formatted(recipients, 'cc')),
    bcc: unlessEmpty(formatted(recipients, 'bcc')),
    reply_to: unlessEmpty(email.replyTo.map(formatAddress)),
    template_id: template?.id,
    template_version: template?.version,
    template_vars: template?.vars,
    tags: unlessEmpty(email.tags.map(({ name, value }) => `${name}:${value}`)),
    headers: Object.keys(email.headers).length > 0 ? email.headers : undefined,
    html: email.html ?? undefined,
    text: email.text ?? undefined,
    kinds: recipients.map(({ kind }) => kind),
    addresses: recipients.map(({ address }) => address.address),
    recipient_count: recipients.length,
    created_at: email.createdAt,
    scheduled_at: email.scheduledAt ?? undefined,
    usage_day: email.usageDay,
    key_hash: claim?.keyHash,
    fingerprint: claim?.fingerprint,
    answer: claim ? answer : undefined,
    monthly_cap: caps?.monthlyCap ?? undefined,
    daily_cap: caps?.daily ?? undefined,
  };
}

function formatted(recipients: readonly NewRecipient[], wanted: RecipientKind): string[] {
  return recipients.filter(({ kind }) => kind === wanted).map(({ address }) => formatAddress(address));
}

function unlessEmpty(list: string[]): string[] | undefined {
  return list.length > 0 ? list : undefined;
}

const NOT_NULL_VIOLATION = '23502';

/**
 * Whether an error of `insertEmails` means that somebody has stored an email with one of the keys since
 * they were looked for. Requests of one period wait for each other; two at the turn of a month do not.
 */
export function isKeyTaken(error: unknown): boolean {
  const { code, table } = error as { code?: unknown; table?: unknown };
  return code === NOT_NULL_VIOLATION && table === 'idempotency_keys';
}

/** Whether any of the ids is there. */
export async function anyExists(send: Send, ids: readonly string[]): Promise<boolean> {
  const text = 'select from emails where id = any($1::uuid[]) limit 1';
  const rows = await send({ name: 'any_email_exists', text }, [ids]);
  return rows.length > 0;
}
