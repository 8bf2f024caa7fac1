/** Addresses that get no mail, and bounces that count towards that. */
export const suppressions = `
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
    -- Of a complaint: whether a mailbox provider has signed it
    is_authenticated boolean not null default false,
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
