import { DEFAULT_PRIORITY, type Priority, priorities } from '@posthorn/contract';
import { type Attachment, MAX_ATTACHED_BYTES_IN_MEMORY } from '@posthorn/domain/attachments';
import { needs } from '@posthorn/domain/delivery';
import { formatAddress } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import type { Allowance } from '@posthorn/domain/plans';
import { INSERT_USAGE_EVENTS } from '@posthorn/domain/workspaces';
import type { Send, Statement } from '@posthorn/platform/postgres';
import { encodeJson, LARGE_JSON_CHARACTERS } from '@posthorn/platform/values';
import { type CommitRequest, countContentCharacters, type NewEmail } from './commit-request.js';
import { countRecipients, type RequestedContent } from './send-request.js';

/**
 * Writes all rows of the requests and counts their recipients, in one statement. The rows are sent as one JSON string,
 * which costs a tenth as much as encoding them as array literals. Postgres' clock decides when an email is due and when
 * a key expires. `created_at` comes from our clock, because the response already contains it.
 */
export async function insertEmails(send: Send, rows: EncodedRows): Promise<void> {
  await insertRows(send, rows, { lockBy: null, lockTimeout: null });
}

/**
 * Does the same as `insertEmails` for requests that were not checked one by one. If together they would exceed a cap,
 * it fails and writes nothing. If a workspace's caps changed between two of the requests, the smaller caps apply.
 * @param lockBy the statement fails unless it has locked the usage rows by this time on Postgres' clock. After that
 *   time, a process that finds the rows unlocked and the emails missing knows that nothing will be stored
 * @param lockTimeoutMs the statement also fails if it waits this long for one of the rows
 */
export async function insertWithinCaps(
  send: Send,
  rows: EncodedRows,
  { lockBy, lockTimeoutMs }: { lockBy: Date; lockTimeoutMs: number },
): Promise<void> {
  await insertRows(send, rows, { lockBy, lockTimeout: `${lockTimeoutMs}ms` });
}

/** The name of the statement shows, in proxies and traces, that the statement may be a transaction of its own. */
async function insertRows(
  send: Send,
  { json, statement }: EncodedRows,
  { lockBy, lockTimeout }: { lockBy: Date | null; lockTimeout: string | null },
): Promise<void> {
  const values = [json, limits.idempotencyHours.max, lockBy, lockTimeout];
  await send(statement, values);
}

const NORMAL = priorities.indexOf(DEFAULT_PRIORITY);

/** The parts of the statement that only emails with needs have. */
type PartsWithNeeds = {
  readonly columns: string;
  readonly emailColumns: string;
  readonly needs: string;
  readonly insert: string;
};

const insertSql = ({ columns, emailColumns, needs, insert }: PartsWithNeeds) => `
  with request as materialized (
    select * from json_to_recordset($1::json) as request (
      id uuid, workspace_id uuid, status text, from_ text, from_address text, domain_id uuid, subject text,
      "to" text[], cc text[], bcc text[], reply_to text[], template_id uuid, template_version int, template_vars jsonb,
      tags text[], headers jsonb, html text, "text" text, kinds text[], addresses text[], recipient_count int,
      created_at timestamptz, scheduled_at timestamptz, usage_day date, key_hash text, fingerprint text, response text,
      request_id uuid, traceparent text, monthly_limit bigint, daily_limit bigint, monthly_cap bigint, daily_cap bigint,
      priority smallint, expires_at timestamptz${columns}
    )
  ),
  new_emails as (
    insert into emails (
      id, workspace_id, status, from_, from_address, domain_id, subject, "to", template_id, template_version,
      tags, recipient_count, created_at, scheduled_at, usage_day, priority, expires_at${emailColumns}
    )
    select id, workspace_id, status, from_, from_address, domain_id, subject, "to", template_id, template_version,
      coalesce(tags, '{}'), recipient_count, created_at, scheduled_at, usage_day, coalesce(priority, ${NORMAL}),
      expires_at${emailColumns}
    from request
  ),
  new_deliveries as (
    insert into deliveries (email_id, workspace_id, due_at, is_due, priority, send_before, needs, last_sequence)
    select id, workspace_id, coalesce(scheduled_at, now()), scheduled_at is null, coalesce(priority, ${NORMAL}), expires_at,
      ${needs}, case when scheduled_at is null then 1 else 2 end
    from request
  ),
  new_events as (
    insert into events (id, stream_id, sequence, workspace_id, type, data, created_at)
    select first_event_id(id), id, 1, workspace_id, 'email.accepted',
      case when scheduled_at is not null then '{"status": "scheduled"}'::jsonb end, created_at
    from request
    union all
    select second_event_id(id), id, 2, workspace_id, 'email.scheduled', null, created_at
    from request where scheduled_at is not null
  ),${insert}
  new_tags as (
    insert into email_tags (workspace_id, tag, email_id) select workspace_id, tag, id from request, unnest(tags) as tag
  ),
  new_contents as (
    insert into email_contents (
      email_id, workspace_id, html, text, template_vars, cc, bcc, reply_to, headers, request_id, traceparent
    )
    select id, workspace_id, html, "text", template_vars, coalesce(cc, '{}'), coalesce(bcc, '{}'),
      coalesce(reply_to, '{}'), coalesce(headers, '{}'), request_id, traceparent
    from request
  ),
  new_recipients as (
    insert into email_recipients (email_id, workspace_id, position, kind, address, status, updated_at)
    select id, workspace_id, position - 1, kind, address, 'queued', created_at
    from request, unnest(kinds, addresses) with ordinality as recipient (kind, address, position)
  ),
  new_keys as (
    insert into idempotency_keys (workspace_id, key_hash, fingerprint, response, expires_at)
    select workspace_id, decode(key_hash, 'hex'), decode(fingerprint, 'hex'), response,
      now() + $2::int * interval '1 hour'
    from request where key_hash is not null order by workspace_id, key_hash
    -- A key that has not expired must not be overwritten, so its response is set to null, which fails the transaction
    on conflict (workspace_id, key_hash) do update
      set fingerprint = excluded.fingerprint, expires_at = excluded.expires_at,
        response = case when idempotency_keys.expires_at <= now() then excluded.response end
  ),
  counted as (
    select workspace_id, period, sum(recipient_count) as sends, min(cap) as cap, min(coalesce(included, cap)) as included
    from request, lateral (
      values
        (to_char(usage_day, 'YYYY-MM'), monthly_cap, monthly_limit), (to_char(usage_day, 'YYYY-MM-DD'), daily_cap, daily_limit)
    ) as of_day (period, cap, included)
    where $4::text is null or (select set_config('lock_timeout', $4, true)) is not null
    group by workspace_id, period
  ),
  -- Every transaction inserts in the same order, so that no two can deadlock. If the cap would be exceeded or the row
  -- was locked too late, the value is null, which makes the transaction fail
  new_usage as (
    insert into usage (workspace_id, period, used)
    select workspace_id, period,
      case when (cap is null or sends <= cap) and ($3::timestamptz is null or clock_timestamp() < $3) then sends end
    from counted order by workspace_id, period
    on conflict (workspace_id, period) do update set used = (
      select case
        when (cap is null or usage.used + sends <= cap) and ($3 is null or clock_timestamp() < $3) then usage.used + sends
      end
      from counted where workspace_id = usage.workspace_id and period = usage.period
    )
    returning workspace_id, period, used
  )
  ${INSERT_USAGE_EVENTS}`;

const INSERT: Statement = {
  name: 'insert_and_commit',
  text: insertSql({ columns: '', emailColumns: '', needs: '0', insert: '' }),
};

const partsWithNeeds: PartsWithNeeds = {
  columns: ', attachments json, needs smallint, topic text, tracking jsonb',
  emailColumns: ', topic, tracking',
  needs: 'coalesce(needs, 0)',
  insert: `
  new_attachments as (
    insert into email_attachments (email_id, workspace_id, position, sha256, size, filename, content_type, content_id)
    select id, workspace_id, position, decode(sha256, 'hex'), size, filename, content_type, content_id
    from request, json_to_recordset(attachments) as attachment (
      position smallint, sha256 text, size int, filename text, content_type text, content_id text
    )
  ),`,
};

const INSERT_WITH_NEEDS: Statement = { name: 'insert_with_needs', text: insertSql(partsWithNeeds) };

/** Other mail in the same group has no `counted_bytes`, and live mail has no `counted_days`. */
const INSERT_WITH_COUNTED_MAIL: Statement = {
  name: 'insert_with_counted_mail',
  text: insertSql({
    ...partsWithNeeds,
    columns: `${partsWithNeeds.columns}, counted_bytes integer, counted_days integer`,
    insert: `${partsWithNeeds.insert}
  new_counted_mail as (
    insert into counted_mail (email_id, workspace_id, bytes, kept_until)
    select id, workspace_id, counted_bytes, now() + counted_days * interval '1 day'
    from request where counted_bytes is not null
  ),`,
  }),
};

/** Whether any of these emails exists. */
export async function isAnyStored(
  send: Send,
  emails: ReadonlyArray<Pick<NewEmail, 'id' | 'workspaceId'>>,
): Promise<boolean> {
  const text = `
    select from emails join unnest($1::uuid[], $2::uuid[]) as wanted (workspace_id, id) using (workspace_id, id) limit 1`;
  const values = [emails.map(({ workspaceId }) => workspaceId), emails.map(({ id }) => id)];
  const rows = await send({ name: 'any_email_exists', text }, values);
  return rows.length > 0;
}

/** The rows of one or more requests as one JSON string. */
type EncodedRows = { readonly json: string | Buffer; readonly statement: Statement };

/**
 * Encodes large bodies in pieces, so that other requests can run in between. Must finish before the statement is sent.
 * @param withCaps whether the statement checks the caps (`insertWithinCaps`)
 */
export async function encodeRows(
  requests: readonly CommitRequest[],
  { withCaps }: { withCaps: boolean },
): Promise<EncodedRows> {
  const rows = requests.flatMap((request) => toRows(request, withCaps ? request.workspace.allowance : undefined));
  const characters = requests.reduce((sum, request) => sum + countContentCharacters(request), 0);
  return {
    json: characters > LARGE_JSON_CHARACTERS ? Buffer.concat(await encodeJson(rows)) : JSON.stringify(rows),
    statement: chooseStatement(requests),
  };
}

function chooseStatement(requests: readonly CommitRequest[]): Statement {
  const has = (condition: (email: NewEmail) => boolean) => requests.some(({ emails }) => emails.some(condition));
  if (has(({ countedBytes }) => countedBytes > 0)) return INSERT_WITH_COUNTED_MAIL;
  return has((email) => toNeeds(email) !== NONE) ? INSERT_WITH_NEEDS : INSERT;
}

function isTestMail({ mode }: NewEmail): boolean {
  return mode === 'test';
}

/** One row for each email. The first one has the idempotency key. */
function toRows(commit: CommitRequest, caps: Allowance | undefined): object[] {
  const { emails, idempotencyKey, response } = commit;
  const rows = emails.map((email) => toRow(email, commit, caps));
  if (idempotencyKey) {
    const { keyHash, fingerprint } = idempotencyKey;
    Object.assign(rows[0] as object, { key_hash: keyHash, fingerprint, response });
  }
  return rows;
}

/** Every field that is sent costs Postgres time, so undefined fields are left out. Postgres reads them as null. */
function toRow(email: NewEmail, commit: CommitRequest, caps: Allowance | undefined): object {
  const { request } = email;
  const { to, cc, bcc, attachments, content } = request;
  return {
    id: email.id,
    workspace_id: email.workspaceId,
    status: email.status,
    from_: formatAddress(email.from),
    from_address: email.from.address,
    domain_id: given(email.domainId),
    subject: email.subject,
    to: to.map(formatAddress),
    cc: unlessEmpty(cc.map(formatAddress)),
    bcc: unlessEmpty(bcc.map(formatAddress)),
    reply_to: unlessEmpty(request.replyTo.map(formatAddress)),
    template_id: email.template?.id,
    template_version: email.template?.version,
    template_vars: email.template?.vars,
    tags: unlessEmpty(request.tags.map(({ name, value }) => `${name}:${value}`)),
    headers: Object.keys(request.headers).length > 0 ? request.headers : undefined,
    html: rawText(content, 'html'),
    text: rawText(content, 'text'),
    kinds: [...to.map(() => 'to'), ...cc.map(() => 'cc'), ...bcc.map(() => 'bcc')],
    addresses: [...to, ...cc, ...bcc].map(({ address }) => address),
    recipient_count: countRecipients(request),
    created_at: email.createdAt,
    scheduled_at: given(request.scheduledAt),
    usage_day: email.usageDay,
    request_id: commit.requestId,
    traceparent: commit.traceparent,
    monthly_limit: unlessSame(commit.workspace.allowance.monthly, caps?.monthlyCap),
    daily_limit: isTestMail(email) ? NEVER_REACHED : unlessSame(commit.workspace.allowance.daily, caps?.daily),
    monthly_cap: given(caps?.monthlyCap),
    daily_cap: given(caps?.daily),
    priority: position(request.priority),
    expires_at: request.expiresAt,
    attachments: attachments?.length ? attachments.map(toAttachmentRow) : undefined,
    topic: request.topic,
    needs: toNeeds(email) || undefined,
    tracking: given(email.tracking),
    ...(email.countedBytes > 0 && toCountedFields(email)),
  };
}

function toCountedFields(email: NewEmail): object {
  return { counted_bytes: email.countedBytes, counted_days: isTestMail(email) ? limits.testMailDays.max : undefined };
}

/** Events about usage are for live mail, so test mail reaches no threshold. A hundred times this is still a bigint. */
const NEVER_REACHED = 1_000_000_000_000;

function rawText(content: RequestedContent, part: 'html' | 'text'): string | undefined {
  return content.kind === 'raw' ? given(content[part]) : undefined;
}

/** Postgres fills in the default. */
function position(priority: Priority | undefined): number | undefined {
  return priority === undefined || priority === DEFAULT_PRIORITY ? undefined : priorities.indexOf(priority);
}

const NONE = 0;

/** What a worker must understand to deliver the email. */
function toNeeds({ request: { attachments = [], topic }, mode, isSimulated, tracking }: NewEmail): number {
  return (
    (attachments.length > 0 ? needs.attachments : NONE) |
    (mode === 'test' ? needs.testMode : NONE) |
    (isSimulated ? needs.simulator : NONE) |
    (topic === undefined ? NONE : needs.topic) |
    (tracking ? needs.tracking : NONE) |
    (mode === 'test' || isSimulated || areLarge(attachments) ? needs.handoffIntent : NONE)
  );
}

/** Noting the handoff costs a statement, which does not matter for a message of more than a megabyte. */
function areLarge(attachments: readonly Attachment[]): boolean {
  return attachments.reduce((sum, { content }) => sum + content.encodedSize, 0) > MAX_ATTACHED_BYTES_IN_MEMORY;
}

function toAttachmentRow({ filename, contentType, contentId, content }: Attachment, position: number): object {
  return {
    position,
    sha256: content.sha256,
    size: content.bytes.length,
    filename,
    content_type: contentType,
    content_id: contentId,
  };
}

function unlessEmpty(list: string[]): string[] | undefined {
  return list.length > 0 ? list : undefined;
}

/** A limit that is also the cap is sent only once. */
function unlessSame(limit: number | null, cap: number | null | undefined): number | undefined {
  return limit === null || limit === cap ? undefined : limit;
}

/** JSON.stringify leaves undefined fields out. */
function given<Value>(value: Value | null | undefined): Value | undefined {
  return value ?? undefined;
}
