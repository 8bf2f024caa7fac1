/** What other servers and recipients report about emails. */
export const bounces = `
  -- Bounces and complaints as they were received. A row is written before the sender gets its 250, so no report is
  -- lost, and processed after that
  create table feedback_reports (
    id uuid primary key,
    -- What the report says it is about: the email and the recipients in the return path that it was sent to. null for a
    -- report to the address for complaints, until it has been read
    email_id uuid,
    positions smallint[],
    -- The beginning of the message; null after a recipient of the email was erased
    raw bytea,
    size integer not null,
    -- Of the recipient and the message. A sender that missed our 250 sends the same report again
    digest bytea not null,
    received_at timestamptz not null default now(),
    -- When to process it; null once that is done
    due_at timestamptz default now(),
    tries integer not null default 0,
    -- What it was and what came of it; null until it has been processed
    kind text,
    result text,
    check ((due_at is null) = (result is not null))
  );
  create unique index feedback_reports_by_digest on feedback_reports (digest);
  -- Reports to return paths and to the address for complaints are leased separately
  create index feedback_reports_due_by_address on feedback_reports ((email_id is null), due_at)
    where due_at is not null;
  create index feedback_reports_of_email on feedback_reports (email_id) where email_id is not null;

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
