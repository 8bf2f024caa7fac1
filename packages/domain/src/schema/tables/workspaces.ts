/** The tenants: their plans, their usage, and what pauses them. */
export const workspaces = `
  create table workspaces (
    id uuid primary key,
    name text not null,
    slug text not null unique,
    -- Set for the workspace that has the test mail of another one. Because test mail is in a workspace of its own, no
    -- query for live mail can find it
    test_of uuid unique references workspaces (id) on delete cascade,
    -- The only owner, until the owner's address is verified. The workspace can send to that address only
    unverified_owner_id uuid unique references users (id),
    plan_id text not null,
    -- {"monthly": 500, "daily": null, "rate": 10, "overage": 0}: if a number is absent, the plan's applies; null means
    -- no limit
    limit_overrides jsonb not null default '{}',
    -- While a workspace is paused, its new emails are refused. After it was resumed, only what was counted since then
    -- can pause it again
    paused_at timestamptz,
    pause_reason text,
    -- Owners cannot end an operator's pause
    paused_by text check (paused_by in ('operator', 'system')),
    resumed_at timestamptz,
    -- When an owner last ended a pause. Soon after that, only an operator can end the next one
    owner_resumed_at timestamptz,
    -- For a workspace that keeps content or emails for fewer days than the service does; otherwise null
    content_retention_days integer check (content_retention_days > 0),
    email_retention_days integer check (email_retention_days > 0),
    -- The content of emails up to this id has been checked, and deleted unless the email was unfinished
    content_removed_to uuid,
    created_at timestamptz not null default now(),
    -- Set when nobody has access to the workspace any more. Workers then delete it with everything in it
    closed_at timestamptz,
    check ((paused_at is null) = (pause_reason is null) and (paused_at is null) = (paused_by is null))
  );

  create index workspaces_closed on workspaces (id) where closed_at is not null;

  -- This workspace sends the service's own mail, such as reset links. It has no members, so no user can read that mail
  insert into workspaces (id, name, slug, plan_id, limit_overrides) values (
    '00000000-0000-7000-8000-000000000000', 'Posthorn', 'no-reply', 'free',
    '{"monthly": null, "daily": null, "rate": 1000000}'
  );

  create table plan_overrides (
    plan_id text primary key,
    limit_overrides jsonb not null
  );

  -- One row per workspace and period, changed by every send. An update stays on its page if there is room and old row
  -- versions are removed soon
  create table usage (
    workspace_id uuid not null references workspaces (id) on delete cascade,
    -- '2026-11' for a month, '2026-11-21' for a day, both UTC
    period text not null,
    used bigint not null check (used >= 0),
    primary key (workspace_id, period)
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

  -- Does what foreign keys would do for the tables that have none, because checking those is expensive (see emails.ts)
  create function delete_emails_of_workspace() returns trigger language plpgsql as $$
  begin
    -- An accept transaction locks its usage rows. So locking them here waits for transactions in progress, whose
    -- emails are then deleted below. A later transaction finds no usage rows, and no workspace to create them for
    perform from usage where workspace_id = old.id order by period for update;
    delete from emails where workspace_id = old.id;
    delete from events where workspace_id = old.id;
    delete from idempotency_keys where workspace_id = old.id;
    delete from suppressions where workspace_id = old.id;
    delete from soft_bounces where workspace_id = old.id;
    insert into unused_objects (object_key)
      select object_key from blobs where workspace_id = old.id and object_key is not null;
    return old;
  end $$;
  create trigger workspaces_emails before delete on workspaces
    for each row execute function delete_emails_of_workspace();
`;
