/** Imports no code and no constants, because what a migration does must never change after its release. */
export const attachments = {
  name: '0013-attachments',
  sql: `
    -- The content of attachments, once per workspace and hash. Other workspaces do not share it, because the time that
    -- storing takes would then show whether another workspace has the same file
    create table blobs (
      workspace_id uuid not null references workspaces (id) on delete cascade,
      sha256 bytea not null check (octet_length(sha256) = 32),
      size integer not null check (size >= 0),
      -- The key of the content in the object store; null if it is in blob_parts
      object_key text,
      -- Whether all of the content has arrived in the object store
      is_stored boolean not null default true,
      -- The content is kept until this time, whether or not an email uses it
      kept_until timestamptz not null,
      primary key (workspace_id, sha256)
    );
    create index blobs_kept_until on blobs (kept_until);
    create table blob_parts (
      workspace_id uuid not null,
      sha256 bytea not null,
      part smallint not null,
      -- Base64 in lines, as it is sent
      lines text not null,
      primary key (workspace_id, sha256, part),
      foreign key (workspace_id, sha256) references blobs (workspace_id, sha256) on delete cascade
    );
    -- Objects whose content is no longer needed. Each has its own key, so deleting one cannot affect another that is
    -- being stored at that moment
    create table unused_objects (object_key text primary key);
    -- Most attachments are compressed already
    alter table blob_parts alter column lines set storage external;

    create table email_attachments (
      email_id uuid not null,
      workspace_id uuid not null,
      position smallint not null,
      sha256 bytea not null,
      size integer not null,
      filename text not null,
      content_type text not null,
      content_id text
    ) partition by range (email_id);
    create index email_attachments_blob on email_attachments (workspace_id, sha256);
    alter table email_attachments add primary key (email_id, position);
    -- Content that an email has cannot be deleted, not even by a process that was stopped for an hour
    alter table email_attachments add foreign key (workspace_id, sha256) references blobs (workspace_id, sha256);
    do $$
    declare
      boundary timestamptz := date_trunc('day', now() + interval '2 days', 'UTC');
      boundary_id uuid := rpad(lpad(to_hex((extract(epoch from boundary) * 1000)::bigint), 12, '0'), 32, '0')::uuid;
    begin
      execute format('create table email_attachments_first partition of email_attachments for values from (minvalue) to (%L)',
        boundary_id);
      execute format('create table %I partition of email_attachments for values from (%L) to (maxvalue)',
        'email_attachments_' || to_char(boundary at time zone 'UTC', 'YYYYMMDD'), boundary_id);
    end $$;

    -- needs: what a worker must know to send the email (1 = attachments). understood: what the claiming worker knows
    alter table deliveries add column needs smallint not null default 0, add column understood smallint not null default 0;
    -- Workers from before this migration do not set understood, so the trigger hides such emails from their claims. The
    -- emails wait for a newer worker
    create function skip_claim() returns trigger language plpgsql as $$ begin return null; end $$;
    create trigger deliveries_not_understood before update on deliveries for each row
      when (new.needs & ~new.understood <> 0 and new.attempt > old.attempt) execute function skip_claim();

    create or replace function delete_emails_of_workspace() returns trigger language plpgsql as $$
    begin
      -- An accept transaction locks its usage rows. So locking them here waits for transactions in progress, whose
      -- emails are then deleted below. A later transaction finds no usage rows, and no workspace to create them for
      perform from usage where workspace_id = old.id order by period for update;
      delete from emails where workspace_id = old.id;
      delete from idempotency_keys where workspace_id = old.id;
      insert into unused_objects (object_key)
        select object_key from blobs where workspace_id = old.id and object_key is not null;
      return old;
    end $$;

    create or replace function delete_parts_of_emails() returns trigger language plpgsql as $$
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
      delete from email_events where email_id = any(ids);
      return null;
    end $$;
  `,
};
