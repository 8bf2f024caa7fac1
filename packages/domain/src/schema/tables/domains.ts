/** The domains that workspaces send from, and their DKIM keys. */
export const domains = `
  create table sending_domains (
    id uuid primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    name text not null,
    status text not null check (status in ('pending', 'verified', 'withdrawn')),
    status_since timestamptz not null default now(),
    -- Goes into the DNS record that proves that the domain belongs to this workspace
    ownership_token text not null default replace(gen_random_uuid()::text, '-', ''),
    -- Whether the operator verified it. If so, failed checks change nothing until DNS proves the domain
    verified_by_operator boolean not null default false,
    verified_at timestamptz,
    -- When workers will next check DNS; null for never
    next_check_at timestamptz,
    -- The last check that DNS answered, and what it found for each record
    checked_at timestamptz,
    findings jsonb not null default '{}',
    -- When the checks of a verified domain began to fail; null while they pass
    failing_since timestamptz,
    -- Whether emails from the domain that are accepted from now on report opens and clicks
    track_opens boolean not null default false,
    track_clicks boolean not null default false,
    -- Whether the last check found the CNAME record of the domain's tracking host
    has_tracking_host boolean not null
      generated always as (coalesce(findings -> 'tracking' ->> 'status' = 'verified', false)) stored,
    created_at timestamptz not null,
    -- Accepted emails still refer to a deleted domain
    deleted_at timestamptz,
    unique (workspace_id, id)
  );
  create unique index sending_domains_name on sending_domains (workspace_id, name) where deleted_at is null;
  -- Several workspaces may add a name; only the first one that proves ownership may send from it
  create unique index sending_domains_verified on sending_domains (name) where status = 'verified';
  create index sending_domains_due on sending_domains (next_check_at) where next_check_at is not null;
  create index sending_domains_tracking_host on sending_domains (name) where has_tracking_host;

  create table domain_keys (
    id uuid primary key,
    -- null for the platform domain
    domain_id uuid references sending_domains (id) on delete cascade,
    selector text not null,
    -- pending: waits for its DNS record; active: signs; retired: mail it signed may still be in transit
    state text not null check (state in ('pending', 'active', 'retired')),
    -- SubjectPublicKeyInfo in base64, as in the DNS record
    public_key text not null,
    -- PKCS #8, encrypted with the SECRET_KEY that secret_key_id names; a retired key has none
    private_key bytea,
    secret_key_id text,
    created_at timestamptz not null,
    retired_at timestamptz,
    check ((private_key is null) = (state = 'retired') and (secret_key_id is null) = (state = 'retired')),
    check ((retired_at is null) = (state <> 'retired'))
  );
  -- At most one active and one pending key per domain; the platform counts as one domain
  create unique index domain_keys_in_use
    on domain_keys (coalesce(domain_id, '00000000-0000-0000-0000-000000000000'), state) where state <> 'retired';
  create index domain_keys_domain on domain_keys (domain_id);
`;
