/** The queue, what keeps workers from claiming its emails, and the attempts that have ended. */
export const deliveries = `
  -- One narrow row for each email that is waiting or being sent. It is deleted when the email has its final status. A
  -- worker changes this row with every claim, and the email itself only once
  create table deliveries (
    email_id uuid primary key,
    workspace_id uuid not null,
    -- When the email should be sent: now, at scheduled_at, or after the delay of a retry
    due_at timestamptz not null,
    -- From this time on, the email may no longer be sent: its expires_at, or 72 hours after it was first due. The
    -- column is null for an email without expires_at that has never been deferred, and the time is then due_at + 72
    -- hours. This keeps emails that are sent at their first attempt out of the index deliveries_ending
    send_before timestamptz,
    lease_until timestamptz,
    claimed_at timestamptz,
    -- The number of claims so far. It is also the fencing token: every write of a worker names the attempt it holds
    attempt integer not null default 0,
    -- The number of events that the email has, which is the sequence of its latest one
    last_sequence integer not null default 1,
    -- Attempts that were charged against RETRY_SCHEDULE
    deferrals smallint not null default 0,
    -- Attempts after which a mail server may have the message
    ambiguous_attempts smallint not null default 0,
    -- A copy of emails.priority
    priority smallint not null default 1,
    -- What a worker must understand to send the email, one bit each (delivery/claimed-email-store.ts). Claims skip emails with a
    -- bit that their version does not know
    needs smallint not null default 0,
    -- Whether workers may claim the email. The others become due when a sweep finds that due_at has passed. null while
    -- an email is parked: it is in neither index of waiting emails, so no worker finds it
    is_due boolean,
    -- The limit or the route that the email waits for, and the version of the routing by which that was decided, such as
    -- 'rate:a@17'; null if it waits only for its time and a worker
    waits_for text,
    -- After an attempt with an unknown result: the relays that may have the message, by the position of the recipient.
    -- The recipient's mail goes nowhere else
    stays_with jsonb,
    check ((lease_until is null) = (claimed_at is null)),
    check (is_due or lease_until is null)
  ) with (
    -- Every row is changed twice and deleted within seconds, and sweeps step over the dead rows in the indexes. So a
    -- vacuum starts at a fixed number of dead rows, however many emails are waiting, and never pauses
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000
  );
  -- Every row that is not parked is in exactly one of the first four indexes. Sweeps find the workspaces with due
  -- emails in the first one, so workspaces whose emails are due later cost nothing
  create index deliveries_due on deliveries (workspace_id, priority, due_at)
    where is_due and lease_until is null and waits_for is null;
  create index deliveries_waiting on deliveries (waits_for, workspace_id, priority, due_at)
    where is_due and lease_until is null and waits_for is not null;
  create index deliveries_later on deliveries (date_bin('10 seconds', due_at, 'epoch'), workspace_id, due_at)
    where not is_due;
  create index deliveries_leased on deliveries (lease_until) where lease_until is not null;
  create index deliveries_ending on deliveries (send_before)
    where is_due and lease_until is null and send_before is not null;
  create index deliveries_parked on deliveries (email_id) where is_due is null;

  -- What workers may not claim: the emails of one workspace, or all emails if workspace_id is null
  create table queue_pauses (
    workspace_id uuid references workspaces (id) on delete cascade,
    created_at timestamptz not null default now()
  );
  create unique index queue_pauses_once on queue_pauses (
    (coalesce(workspace_id, '00000000-0000-0000-0000-000000000000'))
  );

  -- An attempt gets its row when it ends. Until then, the row in deliveries shows that the email is being sent
  create table delivery_attempts (
    email_id uuid not null,
    workspace_id uuid not null,
    attempt integer not null,
    route text,
    -- How far the attempt got: render, connect, envelope, data, reply; null if the worker stopped
    phase text,
    -- sent, partial, deferred, bounced, failed, route_fault, ambiguous
    outcome text,
    conversation text[] not null default '{}',
    started_at timestamptz not null,
    ended_at timestamptz,
    primary key (email_id, attempt)
  ) partition by range (email_id);
`;
