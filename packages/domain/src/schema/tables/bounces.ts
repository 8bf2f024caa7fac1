/** What other servers and recipients report about emails. */
export const bounces = `
  -- Bounces and complaints as they were received, and mail to the operator. A row is written before the sender gets its
  -- 250, so no report is lost, and processed after that
  create table feedback_reports (
    id uuid primary key,
    -- What the report says it is about: the email and the recipients in the return path that it was sent to. null for
    -- mail to a mailbox of the service, until it has been read
    email_id uuid,
    positions smallint[],
    -- Whose turn it is to be processed: the workspace of the email. Mail to the service, and reports about emails that
    -- are not here, share a turn; so do the events of a relay that do not say which email they are about
    turn_id uuid not null default '00000000-0000-0000-0000-000000000000',
    -- 'fbl', 'postmaster' or 'abuse'; null if it was sent to a return path
    mailbox text,
    -- Where it came from: an IPv4 address or an IPv6 /64 network
    peer inet,
    -- The relay whose provider posted it; null for mail. The raw column is the event as JSON
    relay_id uuid,
    -- The beginning of the message; null after a recipient of the email was erased
    raw bytea,
    size integer not null,
    -- Of the message and what it was sent to. A sender that missed our 250 sends the same report again
    digest bytea not null,
    received_at timestamptz not null default now(),
    -- When to process it; null once that is done
    due_at timestamptz default now(),
    tries integer not null default 0,
    -- What it was and what came of it; null until it has been processed
    kind text,
    result text,
    -- When to delete it; null until it has been processed
    expires_at timestamptz,
    check ((due_at is null) = (result is not null))
  );
  create unique index feedback_reports_by_digest on feedback_reports (digest);
  create index feedback_reports_due on feedback_reports (turn_id, due_at) where due_at is not null;
  create index feedback_reports_of_email on feedback_reports (email_id) where email_id is not null;
  create index feedback_reports_expired on feedback_reports (expires_at) where expires_at is not null;
  -- Mail that is kept for the operator
  create index feedback_reports_kept on feedback_reports (id)
    where mailbox is not null and email_id is null and due_at is null;

  -- Tokens of requests whose signature does not cover their body. Each is good for one body
  create table feedback_tokens (
    relay_id uuid not null references relays (id) on delete cascade,
    token text not null,
    body_digest bytea not null,
    expires_at timestamptz not null,
    primary key (relay_id, token)
  );
  create index feedback_tokens_expired on feedback_tokens (expires_at);

  -- One row per bounced recipient of live mail. Who it was and what the server said is in the event
  create table bounces (
    workspace_id uuid not null references workspaces (id) on delete cascade,
    -- Of the event
    id uuid not null,
    email_id uuid not null,
    sequence integer not null,
    bounce_class text not null,
    primary key (workspace_id, id)
  );
  create index bounces_old on bounces (id);
`;
