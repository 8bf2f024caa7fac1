/** The content of attachments, and which email has which file. */
export const attachments = `
  -- Content is stored once per workspace and hash. Other workspaces do not share it, because the time that storing
  -- takes would then show whether another workspace has the same file
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
  -- Most attachments are compressed already. Postgres 15 cannot say this in CREATE TABLE
  alter table blob_parts alter column lines set storage external;

  create table email_attachments (
    email_id uuid not null,
    workspace_id uuid not null,
    position smallint not null,
    sha256 bytea not null,
    size integer not null,
    filename text not null,
    content_type text not null,
    content_id text,
    -- Content that an email has cannot be deleted, not even by a process that was stopped for an hour
    foreign key (workspace_id, sha256) references blobs (workspace_id, sha256)
  ) partition by range (email_id);
  create index email_attachments_blob on email_attachments (workspace_id, sha256);
  -- Last, as for emails
  alter table email_attachments add primary key (email_id, position);

  -- Objects whose content is no longer needed. Each has its own key, so deleting one cannot affect another that is
  -- being stored at that moment
  create table unused_objects (
    object_key text primary key,
    -- Oldest first. An object that could not be deleted is tried again later, so that it does not delay the others
    due_at timestamptz not null default now()
  );
  create index unused_objects_due_at on unused_objects (due_at);
`;
