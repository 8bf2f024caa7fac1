import type { Migration } from '../migration.js';

export const domainKeys: Migration = {
  name: '0007-domain-keys',
  sql: `
    alter table sending_domains
      -- Accepted emails still point at a deleted domain
      add column deleted_at timestamptz,
      -- Stands in the record that proves the domain to be this workspace's
      add column ownership_token text not null default replace(gen_random_uuid()::text, '-', ''),
      -- Verified on the operator's word: what DNS says changes nothing until it proves the domain
      add column vouched boolean not null default false,
      -- When the status became what it is
      add column status_since timestamptz not null default now(),
      -- When DNS is asked next without anybody asking for it; null: never
      add column next_check_at timestamptz,
      -- The last check to which DNS gave an answer, and what it found for each record
      add column checked_at timestamptz,
      add column findings jsonb not null default '{}',
      -- The first of the failed checks in a row of a verified domain
      add column failing_since timestamptz;
    update sending_domains set vouched = status = 'verified', status_since = coalesce(verified_at, created_at),
      next_check_at = case when status = 'verified' then null else now() end;
    alter table sending_domains drop constraint sending_domains_workspace_id_name_key;
    create unique index sending_domains_name on sending_domains (workspace_id, name) where deleted_at is null;
    create index sending_domains_due on sending_domains (next_check_at) where next_check_at is not null;

    create table domain_keys (
      id uuid primary key,
      -- null: the platform domain's
      domain_id uuid references sending_domains (id) on delete cascade,
      selector text not null,
      -- pending: waits for its DNS record; active: signs; retired: has signed mail that is still under way
      state text not null check (state in ('pending', 'active', 'retired')),
      -- SubjectPublicKeyInfo in base64, as the DNS record has it
      public_key text not null,
      -- PKCS #8, encrypted with the SECRET_KEY of that id; a retired key has none
      private_key bytea,
      secret_key_id text,
      created_at timestamptz not null,
      retired_at timestamptz,
      check ((private_key is null) = (state = 'retired') and (secret_key_id is null) = (state = 'retired')),
      check ((retired_at is null) = (state <> 'retired'))
    );
    -- At most one of each domain that signs, and one that waits; the platform counts as one domain
    create unique index domain_keys_in_use
      on domain_keys (coalesce(domain_id, '00000000-0000-0000-0000-000000000000'), state) where state <> 'retired';
    create index domain_keys_domain on domain_keys (domain_id);

    create table domain_events (
      id uuid primary key,
      workspace_id uuid not null,
      domain_id uuid not null,
      type text not null check (type in ('verified', 'withdrawn', 'key_rotated')),
      detail text,
      created_at timestamptz not null,
      foreign key (workspace_id, domain_id) references sending_domains (workspace_id, id) on delete cascade
    );
    create index domain_events_domain on domain_events (domain_id, id);
  `,
};
