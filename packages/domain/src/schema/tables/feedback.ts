/** What other servers and recipients report about emails, and the addresses that get no mail because of it. */
export const feedback = `
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

  -- Addresses that get no mail, or no mail of a topic. One address can have several, each for its own reason
  create table suppressions (
    id uuid primary key,
    -- The live workspace, or the nil UUID for all workspaces
    workspace_id uuid not null,
    -- In lower case; null after the recipient was erased
    address text,
    -- Identifies the address after it was erased
    address_hash bytea,
    -- '' for all mail
    topic text not null default '',
    reason text not null check (reason in ('hard_bounce', 'complaint', 'unsubscribe', 'manual')),
    -- What led to it: the email, and what was said about it
    email_id uuid,
    detail text,
    created_at timestamptz not null default now(),
    check ((address is null) <> (address_hash is null))
  );
  create unique index suppressions_by_address on suppressions (workspace_id, address, topic, reason)
    where address is not null;
  create index suppressions_by_hash on suppressions (workspace_id, address_hash) where address_hash is not null;
  create index suppressions_by_id on suppressions (workspace_id, id);
  -- Pages of one reason or topic, which may be rare among many suppressions
  create index suppressions_by_reason on suppressions (workspace_id, reason, id);
  create index suppressions_by_topic on suppressions (workspace_id, topic, id) where topic <> '';

  -- Bounces after which an address is not suppressed yet, but may be after several
  create table soft_bounces (
    workspace_id uuid not null,
    address text not null,
    bounce_class text not null,
    bounced_at timestamptz not null default now(),
    primary key (workspace_id, address, bounce_class, bounced_at)
  );
  create index soft_bounces_by_time on soft_bounces (bounced_at);
`;
