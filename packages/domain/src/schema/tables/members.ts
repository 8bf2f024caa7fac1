/** Who acts for a workspace. Cookies and links are stored as hashes. */
export const members = `
  create table memberships (
    workspace_id uuid not null references workspaces (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    role text not null check (role in ('owner', 'member')),
    created_at timestamptz not null default now(),
    primary key (workspace_id, user_id)
  );
  create index memberships_user on memberships (user_id);

  create table invitations (
    id uuid primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    email text not null,
    role text not null check (role in ('owner', 'member')),
    -- SHA-256 of the link's token: a copy of this table is of no use to an attacker
    token_hash bytea not null unique,
    created_at timestamptz not null,
    expires_at timestamptz not null
  );
  create unique index invitations_address on invitations (workspace_id, lower(email));

  -- The emails that owners got about their workspaces on the last days. An owner gets one of a kind about an object a day
  create table notices (
    user_id uuid not null references users (id) on delete cascade,
    day date not null default (now() at time zone 'UTC')::date,
    kind text not null check (kind in ('webhook_disabled', 'workspace_warned', 'workspace_paused')),
    -- What it is about: the webhook or the workspace. Without a foreign key, because deleting and creating webhooks
    -- must not lead to more emails
    object_id uuid not null,
    workspace_id uuid not null,
    -- Identifies the notice when it is tried again
    notice_id uuid not null,
    primary key (user_id, day, kind, object_id)
  );

  create table sessions (
    id uuid primary key,
    -- SHA-256 of the cookie's token: a copy of this table is of no use to an attacker
    token_hash bytea not null unique,
    user_id uuid not null,
    workspace_id uuid not null,
    created_at timestamptz not null,
    last_seen_at timestamptz not null,
    foreign key (workspace_id, user_id) references memberships (workspace_id, user_id) on delete cascade
  );
  create index sessions_user on sessions (user_id);
`;
