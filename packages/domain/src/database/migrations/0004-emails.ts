import type { Migration } from '../migration.js';

export const emails: Migration = {
  name: '0004-emails',
  sql: `
    create table emails (
      id uuid primary key,
      workspace_id uuid not null references workspaces (id) on delete cascade,
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
      -- The UTC day the recipients were counted on, so that a refund finds the same counters
      usage_day date not null,
      -- From when on the sweep may take it
      due_at timestamptz,
      -- Claims so far: also the fencing token, every write of a worker names the attempt it holds
      attempt smallint not null default 0,
      -- Attempts that were charged against RETRY_SCHEDULE
      deferrals smallint not null default 0,
      lease_until timestamptz,
      unique (workspace_id, id),
      foreign key (workspace_id, domain_id) references sending_domains (workspace_id, id),
      foreign key (workspace_id, template_id, template_version)
        references template_versions (workspace_id, template_id, version)
    );
    create index emails_by_status on emails (workspace_id, status, id desc);
    create index emails_by_sender on emails (workspace_id, from_address, id desc);
    create index emails_by_template on emails (workspace_id, template_id, id desc) where template_id is not null;
    create index emails_by_tag on emails using gin (tags) where tags <> '{}';
    create index emails_due on emails (workspace_id, due_at) where status in ('queued', 'scheduled', 'deferred');
    create index emails_leased on emails (lease_until) where status = 'sending';

    -- Immutable: what the client asked for; may be purged before the email
    create table email_contents (
      email_id uuid primary key,
      workspace_id uuid not null,
      html text,
      text text,
      template_vars jsonb,
      cc text[] not null default '{}',
      bcc text[] not null default '{}',
      reply_to text[] not null default '{}',
      headers jsonb not null default '{}',
      foreign key (workspace_id, email_id) references emails (workspace_id, id) on delete cascade
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
      primary key (email_id, position),
      foreign key (workspace_id, email_id) references emails (workspace_id, id) on delete cascade
    );
    create index email_recipients_address on email_recipients (workspace_id, lower(address), email_id desc);

    create table delivery_attempts (
      email_id uuid not null,
      workspace_id uuid not null,
      attempt smallint not null,
      route text,
      -- How far it got: render, connect, envelope, data, reply; null while it runs
      phase text,
      -- sent, partial, deferred, bounced, failed, route_fault, ambiguous; null while it runs
      outcome text,
      conversation text[] not null default '{}',
      started_at timestamptz not null,
      ended_at timestamptz,
      primary key (email_id, attempt),
      foreign key (workspace_id, email_id) references emails (workspace_id, id) on delete cascade
    );

    create table email_events (
      id uuid primary key,
      email_id uuid not null,
      workspace_id uuid not null,
      type text not null,
      recipient text,
      detail text,
      created_at timestamptz not null,
      foreign key (workspace_id, email_id) references emails (workspace_id, id) on delete cascade
    );
    create index email_events_email on email_events (email_id, id);

    create table idempotency_keys (
      workspace_id uuid not null references workspaces (id) on delete cascade,
      key_hash bytea not null,
      fingerprint bytea not null,
      -- The answer, byte for byte
      answer text not null,
      expires_at timestamptz not null,
      primary key (workspace_id, key_hash)
    );
    create index idempotency_keys_expiry on idempotency_keys (expires_at);
  `,
};
