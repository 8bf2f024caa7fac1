/** Who and what acts for a workspace, and what they changed. Cookies, links and keys are stored as hashes. */
export const access = `
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

  create table api_keys (
    id uuid primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    name text not null,
    mode text not null default 'live' check (mode in ('live', 'test')),
    secret_hash bytea not null,
    -- The last four characters of the key
    hint text not null,
    scopes text[] not null,
    -- The only sending domains that the key may send from, and the only networks that it works from, in CIDR notation;
    -- null for all
    domain_ids uuid[],
    networks text[],
    created_at timestamptz not null,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz
  );
  create index api_keys_workspace on api_keys (workspace_id, id desc);

  -- An entry refers to its actor and target by id and by name, not by foreign key, so that it stays readable after they
  -- are deleted. It has no workspace if it concerns all workspaces on a plan
  create table audit_log (
    id uuid primary key,
    workspace_id uuid references workspaces (id) on delete cascade,
    actor_type text not null check (actor_type in ('user', 'api_key', 'operator', 'system')),
    actor_id uuid,
    actor_label text,
    action text not null,
    target_type text not null,
    target_id text not null,
    target_label text not null,
    ip inet,
    changes jsonb not null,
    created_at timestamptz not null
  );
  create index audit_log_by_workspace on audit_log (workspace_id, id);
  -- For the filters of the list: a workspace can have many entries, of which few match
  create index audit_log_by_action on audit_log (workspace_id, action, id);
  create index audit_log_by_actor on audit_log (workspace_id, actor_id, id);
  create index audit_log_by_target on audit_log (workspace_id, target_id, id);
`;
