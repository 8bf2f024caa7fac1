/** Imports no code and no constants, because what a migration does must never change after its release. */
export const initialSchema = {
  name: '0001-initial-schema',
  sql: `
    -- Workspaces and the people and programs that act for them

    create table workspaces (
      id uuid primary key,
      name text not null,
      slug text not null unique,
      plan_id text not null,
      -- {"monthly": 500, "daily": null, "rate": 10, "overage": 0}: if a number is absent, the plan's applies; null
      -- means no limit
      limit_overrides jsonb not null default '{}',
      created_at timestamptz not null default now()
    );

    -- This workspace sends the service's own mail, such as reset links. It has no members, so no user can read that
    -- mail
    insert into workspaces (id, name, slug, plan_id, limit_overrides) values (
      '00000000-0000-7000-8000-000000000000', 'Posthorn', 'no-reply', 'free',
      '{"monthly": null, "daily": null, "rate": 1000000}'
    );

    create table plan_overrides (
      plan_id text primary key,
      limit_overrides jsonb not null
    );

    create table users (
      id uuid primary key,
      email text not null,
      password_hash text not null,
      created_at timestamptz not null default now()
    );
    create unique index users_email on users (lower(email));

    create table memberships (
      workspace_id uuid not null references workspaces (id) on delete cascade,
      user_id uuid not null references users (id) on delete cascade,
      role text not null check (role in ('owner', 'member')),
      created_at timestamptz not null default now(),
      primary key (workspace_id, user_id)
    );
    create index memberships_user on memberships (user_id);

    create table invitations (
      id uuid primary key,
      workspace_id uuid not null references workspaces (id) on delete cascade,
      email text not null,
      role text not null check (role in ('owner', 'member')),
      -- SHA-256 of the link's token: a copy of this table is of no use to an attacker
      token_hash bytea not null unique,
      created_at timestamptz not null,
      expires_at timestamptz not null
    );
    create unique index invitations_address on invitations (workspace_id, lower(email));

    create table sessions (
      id uuid primary key,
      -- SHA-256 of the cookie's token: a copy of this table is of no use to an attacker
      token_hash bytea not null unique,
      user_id uuid not null,
      workspace_id uuid not null,
      created_at timestamptz not null,
      last_seen_at timestamptz not null,
      foreign key (workspace_id, user_id) references memberships (workspace_id, user_id) on delete cascade
    );
    create index sessions_user on sessions (user_id);

    create table password_resets (
      -- SHA-256 of the link's token: a copy of this table is of no use to an attacker
      token_hash bytea primary key,
      user_id uuid not null references users (id) on delete cascade,
      expires_at timestamptz not null
    );
    create index password_resets_user on password_resets (user_id);

    create table api_keys (
      id uuid primary key,
      workspace_id uuid not null references workspaces (id) on delete cascade,
      name text not null,
      secret_hash bytea not null,
      hint text not null,
      scopes text[] not null,
      created_at timestamptz not null,
      expires_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz
    );
    create index api_keys_workspace on api_keys (workspace_id, id desc);

    create table usage (
      workspace_id uuid not null references workspaces (id) on delete cascade,
      -- '2026-11' for a month, '2026-11-21' for a day, both UTC
      period text not null,
      used bigint not null check (used >= 0),
      primary key (workspace_id, period)
    ) with (fillfactor = 50);

    -- Templates

    create table templates (
      id uuid primary key,
      workspace_id uuid not null references workspaces (id) on delete cascade,
      name text not null,
      version integer not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      -- Accepted emails still refer to the versions of a deleted template
      deleted_at timestamptz,
      unique (workspace_id, id)
    );
    create index templates_live on templates (workspace_id, id desc) where deleted_at is null;

    create table template_versions (
      workspace_id uuid not null,
      template_id uuid not null,
      version integer not null,
      subject text not null,
      html_body text not null,
      text_body text not null,
      -- Names of the placeholders, in order of first appearance
      variables text[] not null,
      created_at timestamptz not null,
      primary key (workspace_id, template_id, version),
      foreign key (workspace_id, template_id) references templates (workspace_id, id) on delete cascade
    );

    -- Sending domains

    create table sending_domains (
      id uuid primary key,
      workspace_id uuid not null references workspaces (id) on delete cascade,
      name text not null,
      status text not null check (status in ('pending', 'verified', 'withdrawn')),
      created_at timestamptz not null,
      verified_at timestamptz,
      -- Accepted emails still refer to a deleted domain
      deleted_at timestamptz,
      -- Goes into the DNS record that proves that the domain belongs to this workspace
      ownership_token text not null default replace(gen_random_uuid()::text, '-', ''),
      -- Whether the operator verified it. If so, failed checks change nothing until DNS proves the domain
      verified_by_operator boolean not null default false,
      status_since timestamptz not null default now(),
      -- When workers will next check DNS; null for never
      next_check_at timestamptz,
      -- The last check that DNS answered, and what it found for each record
      checked_at timestamptz,
      findings jsonb not null default '{}',
      -- When the checks of a verified domain began to fail; null while they pass
      failing_since timestamptz,
      unique (workspace_id, id)
    );
    create unique index sending_domains_name on sending_domains (workspace_id, name) where deleted_at is null;
    -- Several workspaces may add a name; only the first one that proves ownership may send from it
    create unique index sending_domains_verified on sending_domains (name) where status = 'verified';
    create index sending_domains_due on sending_domains (next_check_at) where next_check_at is not null;

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

    -- Emails. The tables that belong to an email have no foreign keys to it, because checking those row by row took a
    -- fifth of Postgres' work for an email. Each row is written by a statement that writes or locks its email, and
    -- deleted by the triggers below

    create table emails (
      id uuid primary key,
      workspace_id uuid not null,
      status text not null,
      -- As written in the message: "Name <local@domain>"; from_address is the bare address
      from_ text not null,
      from_address text not null,
      domain_id uuid,
      subject text not null,
      "to" text[] not null,
      template_id uuid,
      template_version integer,
      tags text[] not null default '{}',
      recipient_count smallint not null,
      created_at timestamptz not null,
      scheduled_at timestamptz,
      -- The UTC day on which the recipients were counted, so that a refund finds the same usage rows
      usage_day date not null,
      -- From this time on, the sweep may claim the email
      due_at timestamptz,
      -- The number of claims so far. It is also the fencing token: every write of a worker names the attempt it holds
      attempt smallint not null default 0,
      -- Attempts that were charged against RETRY_SCHEDULE
      deferrals smallint not null default 0,
      lease_until timestamptz,
      unique (workspace_id, id),
      foreign key (workspace_id, domain_id) references sending_domains (workspace_id, id),
      foreign key (workspace_id, template_id, template_version)
        references template_versions (workspace_id, template_id, version)
    );
    -- All columns are ascending, because lists are ordered by all of them
    create index emails_by_status on emails (workspace_id, status, id);
    create index emails_by_sender on emails (workspace_id, from_address, id);
    create index emails_by_template on emails (workspace_id, template_id, id) where template_id is not null;
    create index emails_due on emails (workspace_id, due_at) where status in ('queued', 'scheduled', 'deferred');
    create index emails_leased on emails (lease_until) where status = 'sending';

    -- What the client asked for. It never changes, and may be purged before the email
    create table email_contents (
      email_id uuid primary key,
      workspace_id uuid not null,
      html text,
      text text,
      template_vars jsonb,
      cc text[] not null default '{}',
      bcc text[] not null default '{}',
      reply_to text[] not null default '{}',
      headers jsonb not null default '{}'
    );

    create table email_recipients (
      email_id uuid not null,
      workspace_id uuid not null,
      position smallint not null,
      kind text not null check (kind in ('to', 'cc', 'bcc')),
      address text not null,
      status text not null,
      smtp_code smallint,
      smtp_response text,
      updated_at timestamptz not null,
      primary key (email_id, position)
    );
    create index email_recipients_address on email_recipients (workspace_id, lower(address), email_id);

    -- A copy of emails.tags, sorted like a list of emails, so that a page costs the same however many emails have the
    -- tag
    create table email_tags (
      workspace_id uuid not null,
      -- 'name:value'
      tag text not null,
      email_id uuid not null,
      primary key (workspace_id, tag, email_id)
    );

    create table delivery_attempts (
      email_id uuid not null,
      workspace_id uuid not null,
      attempt smallint not null,
      route text,
      -- How far the attempt got: render, connect, envelope, data, reply; null while it runs
      phase text,
      -- sent, partial, deferred, bounced, failed, route_fault, ambiguous; null while it runs
      outcome text,
      conversation text[] not null default '{}',
      started_at timestamptz not null,
      ended_at timestamptz,
      primary key (email_id, attempt)
    );

    create table email_events (
      id uuid primary key,
      email_id uuid not null,
      workspace_id uuid not null,
      type text not null,
      recipient text,
      detail text,
      created_at timestamptz not null
    );
    create index email_events_email on email_events (email_id, id);

    create table idempotency_keys (
      workspace_id uuid not null,
      key_hash bytea not null,
      fingerprint bytea not null,
      -- The response body, byte for byte
      response text not null,
      expires_at timestamptz not null,
      primary key (workspace_id, key_hash)
    );
    create index idempotency_keys_expiry on idempotency_keys (expires_at);

    create function delete_parts_of_emails() returns trigger language plpgsql as $$
    begin
      delete from email_contents where email_id in (select id from deleted);
      delete from email_recipients where email_id in (select id from deleted);
      delete from email_tags using deleted
        where email_tags.workspace_id = deleted.workspace_id and tag = any(deleted.tags) and email_id = deleted.id;
      delete from delivery_attempts where email_id in (select id from deleted);
      delete from email_events where email_id in (select id from deleted);
      return null;
    end $$;
    create trigger emails_parts after delete on emails
      referencing old table as deleted for each statement execute function delete_parts_of_emails();

    create function delete_emails_of_workspace() returns trigger language plpgsql as $$
    begin
      -- An accept transaction locks its usage rows. So locking them here waits for transactions in progress, whose
      -- emails are then deleted below. A later transaction finds no usage rows, and no workspace to create them for
      perform from usage where workspace_id = old.id order by period for update;
      delete from emails where workspace_id = old.id;
      delete from idempotency_keys where workspace_id = old.id;
      return old;
    end $$;
    create trigger workspaces_emails before delete on workspaces
      for each row execute function delete_emails_of_workspace();
  `,
};
