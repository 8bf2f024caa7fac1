/** Imports no code and no constants, because what a migration does must never change after its release. */
export const restores = {
  name: '0031-restores',
  kind: 'expand' as const,
  sql: `
    -- One row. The id is part of every key in Redis that repeats what Postgres knows. A restore gets a new id, so that
    -- nothing in Redis from before the restore is read again
    create table incarnation (
      is_only boolean primary key default true check (is_only),
      id text not null,
      -- The cluster and the database that the id belongs to. A dump that is restored elsewhere still names the old ones.
      -- Null until a process has started, or if Posthorn may not read them
      database text,
      created_at timestamptz not null default now()
    );
    insert into incarnation (id) values (substr(replace(gen_random_uuid()::text, '-', ''), 1, 10));

    -- is_due is null while an email is parked: it is in neither index of waiting emails, so no worker finds it
    alter table deliveries alter column is_due drop not null;

    -- What workers may not claim: the emails of one workspace, or all emails if workspace_id is null
    create table queue_pauses (
      workspace_id uuid references workspaces (id) on delete cascade,
      created_at timestamptz not null default now()
    );
    create unique index queue_pauses_once on queue_pauses (
      (coalesce(workspace_id, '00000000-0000-0000-0000-000000000000'))
    );
  `,
};
