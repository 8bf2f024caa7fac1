/** How many of a workspace's emails bounce or lead to complaints, and what that has led to. */
export const deliverability = `
  -- How many recipients of live mail were sent to, bounced and complained, per sending domain and UTC hour. Workers
  -- count them from the event log, so that accepting and sending emails does not wait for it
  create table sending_stats (
    workspace_id uuid not null references workspaces (id) on delete cascade,
    -- null for the platform domain. A deleted domain keeps its rows, because they are part of the workspace's rates
    domain_id uuid,
    hour timestamptz not null,
    -- Recipients whose mail server has decided: it took the message or refused it
    sent integer not null,
    bounced integer not null,
    -- Those of the bounces that say that the mailbox does not exist or is no longer used
    hard_bounced integer not null,
    -- Those of the bounces that say something about the recipient. Only they are compared with the limits
    counted_bounces integer not null,
    -- Complaints that a mailbox provider has signed. Only they are compared with the limits
    complained integer not null,
    -- Complaints that anybody may have written
    unauthenticated_complaints integer not null
  );
  create unique index sending_stats_by_hour on sending_stats (workspace_id, domain_id, hour) nulls not distinct;
  create index sending_stats_old on sending_stats (hour);

  -- How far the event log has been counted
  create table sending_stats_cursor (
    is_only_row boolean primary key default true check (is_only_row),
    position bigint not null,
    event_id uuid not null
  );
  insert into sending_stats_cursor (position, event_id) values (0, '00000000-0000-0000-0000-000000000000');

  -- What the rates of a workspace have led to. Only workspaces with bounces or complaints have a row
  create table reputations (
    workspace_id uuid primary key references workspaces (id) on delete cascade,
    -- Whether something was counted since the rates were last compared with the limits
    is_due boolean not null default true,
    -- Whether the rates are above the limit for warnings
    is_warned boolean not null default false,
    -- The email to the owners: 'warned' or 'paused', and why; null once it is accepted. It has an id so that no owner
    -- gets it twice
    notification_id uuid,
    notification_kind text check (notification_kind in ('warned', 'paused')),
    notification_reason text
  );
  create index reputations_due on reputations (workspace_id) where is_due or is_warned;
  create index reputations_notification on reputations (workspace_id) where notification_id is not null;
`;
