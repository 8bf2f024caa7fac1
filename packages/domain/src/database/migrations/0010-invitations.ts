import type { Migration } from '../migration.js';

export const invitations: Migration = {
  name: '0010-invitations',
  sql: `
    create table invitations (
      id uuid primary key,
      workspace_id uuid not null references workspaces (id) on delete cascade,
      email text not null,
      role text not null check (role in ('owner', 'member')),
      -- SHA-256 of the link's token: a copy of this table lets nobody in
      token_hash bytea not null unique,
      created_at timestamptz not null,
      expires_at timestamptz not null
    );
    create unique index invitations_address on invitations (workspace_id, lower(email));
  `,
};
