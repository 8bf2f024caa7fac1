/** The ways out of the service, and which mail goes by which of them. */
export const relays = `
  create table relays (
    id uuid primary key,
    -- env-1, env-2, ... for the servers of SMTP_URL. Routes name relays, so that a relay that is removed and added again
    -- has its place again
    name text not null,
    -- Encrypted with the SECRET_KEY that secret_key_id names; null for the servers of SMTP_URL
    url bytea,
    secret_key_id text,
    -- The host and port of the URL, which are no secret
    address text not null,
    -- The most sessions and recipients of all workers together; null for no limit
    connections integer,
    rate_recipients integer,
    rate_seconds integer,
    -- How many recipients are tried on its first, second, ... UTC day with mail; null without a warm-up
    warm_up integer[],
    -- The provider whose events we take; null if it reports none
    feedback text,
    feedback_token text not null,
    -- The SNS topic that was confirmed first. No other one is believed
    feedback_topic text,
    -- The MessageId of the confirmation that pinned it. Repetitions of it are not confirmed again
    feedback_confirmation text,
    -- When its provider last posted something that was believed, and something that was refused, and why
    feedback_event_at timestamptz,
    feedback_refused_at timestamptz,
    feedback_refusal text,
    -- Whether it replaces Message-ID and Date; null if that depends on the host
    rewrites_ids boolean,
    -- Where our connections come from, and how we greet; null for what the system does
    source_ipv4 inet,
    source_ipv6 inet,
    ehlo text,
    -- When it last refused us or failed, by what any worker saw, and why; null if it never did
    trouble_at timestamptz,
    trouble text,
    paused_at timestamptz,
    -- Its feedback is taken for 30 days more
    removed_at timestamptz,
    created_at timestamptz not null,
    check ((url is null) = (secret_key_id is null)),
    check ((rate_recipients is null) = (rate_seconds is null))
  );
  create unique index relays_name on relays (name) where removed_at is null;
  create unique index relays_feedback_token on relays (feedback_token);

  -- What a provider signs its events with, or logs in with
  create table relay_secrets (
    id uuid primary key,
    relay_id uuid not null references relays (id) on delete cascade,
    secret bytea not null,
    secret_key_id text not null,
    created_at timestamptz not null,
    -- When a replaced secret ends; null for the current one
    expires_at timestamptz
  );
  create unique index relay_secrets_current on relay_secrets (relay_id) where expires_at is null;

  -- The recipients that a relay with a warm-up has tried, by UTC day
  create table relay_days (
    relay_id uuid not null references relays (id) on delete cascade,
    day date not null,
    recipients integer not null,
    primary key (relay_id, day)
  );

  create table routes (
    id uuid primary key,
    -- The lowest one that matches is used, and the older one of two with the same number
    "order" integer not null,
    -- Relays and their weights: [{"relay": "a", "weight": 3}, ...]
    via jsonb not null,
    -- Relays that follow when all of them are out
    fallback text[] not null default '{}',
    -- What it matches. null matches all mail
    workspace_id uuid references workspaces (id) on delete cascade,
    domain text,
    recipient_domain text,
    tag text,
    priority smallint,
    created_at timestamptz not null
  );

  -- Counts the changes of relays and routes, so that workers read them again only after a change
  create table routing_version (
    version bigint not null
  );
  insert into routing_version values (1);
`;
