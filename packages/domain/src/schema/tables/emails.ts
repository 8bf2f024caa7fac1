/**
 * Emails and their parts. The parts have no foreign keys to their email, because checking those row by row took a fifth
 * of Postgres' work for an email. Each row is written by a statement that writes or locks its email, and deleted by the
 * trigger below or with its partition (see partitions.ts).
 *
 * Where a partitioned table has other indexes, its primary key comes last. While a partition is empty, Postgres expects
 * all of its indexes to cost the same, and uses the one that was created last.
 */
export const emails = `
  create table emails (
    id uuid not null,
    -- The live or the test workspace. Test mail uses the templates and domains of the live one. While that workspace
    -- exists, both are only ever marked as deleted, so they need no foreign keys
    workspace_id uuid not null,
    -- Never 'sending': the lease in deliveries says that
    status text not null,
    -- As written in the message: "Name <local@domain>"; from_address is the bare address
    from_ text not null,
    from_address text not null,
    -- null for the platform domain
    domain_id uuid,
    "to" text[] not null,
    subject text not null,
    template_id uuid,
    template_version integer,
    tags text[] not null default '{}',
    -- What the recipient can unsubscribe from; null for most emails
    topic text,
    -- What the email reports, fixed when it is accepted, because its message must be the same on every attempt: the URL
    -- of the listener, opens, clicks, and the position of its recipient if it has only one. null for most emails
    tracking jsonb,
    -- 0 (high) before 1 (normal) before 2 (bulk)
    priority smallint not null default 1,
    recipient_count smallint not null,
    -- The UTC day on which the recipients were counted, so that a refund finds the same usage rows
    usage_day date not null,
    created_at timestamptz not null,
    scheduled_at timestamptz,
    expires_at timestamptz,
    -- When the content and a recipient of the email were erased; null for most emails
    erased_at timestamptz
  ) partition by range (id);
  -- All columns are ascending, because lists are ordered by all of them
  create index emails_by_status on emails (workspace_id, status, id);
  create index emails_by_sender on emails (workspace_id, from_address, id);
  create index emails_by_template on emails (workspace_id, template_id, id) where template_id is not null;
  -- Every read and write of an email names its workspace
  alter table emails add primary key (workspace_id, id);

  -- What the client asked for. It never changes, and may be purged before the email
  create table email_contents (
    email_id uuid primary key,
    workspace_id uuid not null,
    html text,
    text text,
    template_vars jsonb,
    cc text[] not null default '{}',
    bcc text[] not null default '{}',
    reply_to text[] not null default '{}',
    headers jsonb not null default '{}',
    -- The X-Request-Id of the request that asked for the email, for the worker's log lines; null for the service's own
    -- mail. And the W3C traceparent of that request; null for most emails
    request_id uuid,
    traceparent text
  ) partition by range (email_id);

  create table email_recipients (
    email_id uuid not null,
    workspace_id uuid not null,
    position smallint not null,
    kind text not null check (kind in ('to', 'cc', 'bcc')),
    address text not null,
    status text not null,
    smtp_code smallint,
    smtp_response text,
    -- Why the recipient was refused
    bounce_class text,
    updated_at timestamptz not null,
    -- The relay that took the message, and its provider's id of it, by which the provider's events find the recipient.
    -- null for most mail: only relays with feedback need them
    relay_id uuid,
    provider_id text
  ) partition by range (email_id);
  create index email_recipients_provider_id on email_recipients (provider_id) where provider_id is not null;
  create index email_recipients_address on email_recipients (workspace_id, lower(address), email_id);
  alter table email_recipients add primary key (email_id, position);

  -- A copy of emails.tags, sorted like a list of emails, so that a page costs the same however many emails have the tag
  create table email_tags (
    workspace_id uuid not null,
    -- 'name:value'
    tag text not null,
    email_id uuid not null,
    primary key (workspace_id, tag, email_id)
  ) partition by range (email_id);

  -- With an array, Postgres looks the ids up in each partition and never scans a partition
  create function delete_parts_of_emails() returns trigger language plpgsql as $$
  declare
    ids uuid[];
  begin
    select array_agg(id) into ids from deleted;
    if ids is null then return null; end if;
    delete from deliveries where email_id = any(ids);
    delete from email_contents where email_id = any(ids);
    delete from email_attachments where email_id = any(ids);
    delete from email_recipients where email_id = any(ids);
    delete from email_tags using deleted
      where email_tags.workspace_id = deleted.workspace_id and tag = any(deleted.tags) and email_id = deleted.id;
    delete from delivery_attempts where email_id = any(ids);
    delete from events where stream_id = any(ids);
    delete from counted_mail where email_id = any(ids);
    return null;
  end $$;
  create trigger emails_parts after delete on emails
    referencing old table as deleted for each statement execute function delete_parts_of_emails();
`;
