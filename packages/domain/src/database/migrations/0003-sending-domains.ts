import type { Migration } from '../migration.js';

export const sendingDomains: Migration = {
  name: '0003-sending-domains',
  sql: `
    create table sending_domains (
      id uuid primary key,
      workspace_id uuid not null references workspaces (id) on delete cascade,
      name text not null,
      status text not null check (status in ('pending', 'verified', 'withdrawn')),
      created_at timestamptz not null,
      verified_at timestamptz,
      unique (workspace_id, id),
      unique (workspace_id, name)
    );
    -- Many may claim a name, one may send from it: the first proof wins
    create unique index sending_domains_verified on sending_domains (name) where status = 'verified';
  `,
};
