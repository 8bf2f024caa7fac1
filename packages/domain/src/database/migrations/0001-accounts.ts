import type { Migration } from '../migration.js';

export const accounts: Migration = {
  name: '0001-accounts',
  sql: `
    create table workspaces (
      id uuid primary key,
      name text not null,
      slug text not null unique,
      plan_id text not null,
      -- {"monthly": 500, "daily": null, "rate": 10, "overage": 0}: absent means the plan's own
      -- number, null means none
      limit_overrides jsonb not null default '{}',
      created_at timestamptz not null default now()
    );

    create table plan_overrides (
      plan_id text primary key,
      limit_overrides jsonb not null
    );

    create table users (
      id uuid primary key,
      email text not null,
      password_hash text not null,
      created_at timestamptz not null default now()
    );
    create unique index users_email on users (lower(email));

    create table memberships (
      workspace_id uuid not null references workspaces (id) on delete cascade,
      user_id uuid not null references users (id) on delete cascade,
      role text not null check (role in ('owner', 'member')),
      created_at timestamptz not null default now(),
      primary key (workspace_id, user_id)
    );
    create index memberships_user on memberships (user_id);

    create table sessions (
      id uuid primary key,
      -- SHA-256 of the cookie's token: a copy of this table logs nobody in
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
      secret_hash bytea not null,
      hint text not null,
      scopes text[] not null,
      created_at timestamptz not null,
      expires_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz
    );
    create index api_keys_workspace on api_keys (workspace_id, id desc);
  `,
};
