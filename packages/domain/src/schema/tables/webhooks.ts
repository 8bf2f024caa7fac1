/** Where events are posted, and how that goes. */
export const webhooks = `
  create table webhooks (
    id uuid primary key,
    -- The live or the test workspace whose events are delivered
    workspace_id uuid not null references workspaces (id) on delete cascade,
    url text not null,
    description text not null,
    -- The types of events to deliver
    events text[] not null,
    -- Only events of these sending domains and of emails from them, or of emails with one of these tags ('name:value');
    -- null for all
    domain_ids uuid[],
    tags text[],
    status text not null check (status in ('enabled', 'disabled')),
    -- Why the service disabled it: 'gone' or 'failing'; otherwise null
    disabled_because text,
    -- The email that tells the owners that the service has disabled the webhook; null once it is accepted. It has an id
    -- so that no owner gets it twice
    owner_notification_id uuid,
    created_at timestamptz not null,
    updated_at timestamptz not null
  );
  create index webhooks_workspace on webhooks (workspace_id, id);
  create index webhooks_owner_notification on webhooks (id) where owner_notification_id is not null;

  create table webhook_secrets (
    id uuid primary key,
    webhook_id uuid not null references webhooks (id) on delete cascade,
    -- Encrypted with the SECRET_KEY that secret_key_id names
    secret bytea not null,
    secret_key_id text not null,
    created_at timestamptz not null,
    -- After a rotation, messages are signed with the old secret too until this time; null for the current secret
    expires_at timestamptz
  );
  create unique index webhook_secrets_current on webhook_secrets (webhook_id) where expires_at is null;
  create index webhook_secrets_old on webhook_secrets (webhook_id, expires_at);

  -- How sending to a webhook goes. Workers change it often, so it is apart from the settings. One worker at a time
  -- sends to a webhook
  create table webhook_states (
    webhook_id uuid primary key references webhooks (id) on delete cascade,
    -- Where the webhook is in the event log: every event up to here that it wants has a row in webhook_deliveries
    position bigint not null,
    event_id uuid not null,
    -- How many times results were recorded. A worker counts too, and stops when the numbers differ
    revision integer not null default 0,
    -- When there is something to send: events of the log, or deliveries to try again; null if nothing is waiting
    due_at timestamptz,
    -- After failures, nothing is sent before this time, whatever is due; null if sending is allowed
    paused_until timestamptz,
    lease_until timestamptz,
    -- The number of leases so far. It is also the fencing token: a worker names it when it changes this row
    lease integer not null default 0,
    -- Failed attempts in a row
    failures integer not null default 0,
    -- When the current run of failures began; null if the last attempt succeeded
    failing_since timestamptz,
    -- Whether the receiver at the current URL has accepted a request. Until then, it gets only a few
    is_confirmed boolean not null default false,
    -- Its answers took long, so it shares a part of the slots with other slow ones until this time; null if none did
    slow_until timestamptz
  );
  create index webhook_states_due on webhook_states (due_at) where due_at is not null;

  -- One event for one webhook, written when its first request has ended. Only test events and replays are written
  -- before that
  create table webhook_deliveries (
    webhook_id uuid not null,
    event_id uuid not null,
    workspace_id uuid not null,
    -- The key of the event in the log
    stream_id uuid not null,
    sequence integer not null,
    status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
    -- When to send it; null if it is finished
    due_at timestamptz,
    -- The number of attempts so far. It is also the fencing token of an attempt's result
    attempt integer not null default 0,
    -- How much of the retry schedule is used up. A replay starts over
    retries smallint not null default 0,
    -- The newest of them, oldest first: [{"at", "ms", "status", "body", "truncated", "error"}]
    attempts jsonb not null default '[]',
    check ((due_at is null) = (status <> 'pending'))
  ) partition by range (event_id);
  create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at, event_id) where due_at is not null;
  create index webhook_deliveries_failed on webhook_deliveries (webhook_id, event_id) where status = 'failed';
  -- Last, as for emails
  alter table webhook_deliveries add primary key (webhook_id, event_id);

  -- How far the fan-out has read the event log
  create table webhook_cursor (
    is_only_row boolean primary key default true check (is_only_row),
    position bigint not null,
    event_id uuid not null
  );
  insert into webhook_cursor (position, event_id) values (0, '00000000-0000-0000-0000-000000000000');

  create function delete_deliveries_of_webhooks() returns trigger language plpgsql as $$
  begin
    delete from webhook_deliveries where webhook_id in (select id from deleted);
    return null;
  end $$;
  create trigger webhooks_deliveries after delete on webhooks
    referencing old table as deleted for each statement execute function delete_deliveries_of_webhooks();
`;
